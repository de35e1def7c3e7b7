C     Edges with names of arrays of a module and of dummy arguments, in fixed form.
      MODULE GRID
      INTEGER, PARAMETER :: N = 30
      INTEGER, ALLOCATABLE :: NB(:,:)
      REAL, ALLOCATABLE :: U(:), V(:)
CDVM$ DISTRIBUTE U(BLOCK)
CDVM$ ALIGN V(I) WITH U(I)
CDVM$ ALIGN NB(*,I) WITH U(I)
      END MODULE
      PROGRAM EDGE2
      USE GRID, FIELD => U
      IMPLICIT NONE
      INTEGER I, J, STEP
      REAL TOTAL
      ALLOCATE (FIELD(N), V(N), NB(2,N))
CDVM$ PARALLEL (I) ON FIELD(I)
      DO I = 1, N
        FIELD(I) = I
        NB(1,I) = MOD(I * 11, N) + 1
        NB(2,I) = MERGE(-1, N + 1 - I, MOD(I, 5) .EQ. 0)
      ENDDO
CDVM$ SHADOW_ADD (FIELD((NB(1,WHICH),NB(2,WHICH)) WITH
CDVM$*FIELD(@WHICH)) = "all the neighbours of the cells") INCLUDE_TO V
      DO STEP = 1, 3
CDVM$ PARALLEL (I) ON FIELD(I),
CDVM$*SHADOW_RENEW(FIELD("all the neighbours of the cells"))
      DO I = 1, N
        V(I) = FIELD(NB(1,I))
        IF (NB(2,I) .GT. 0) V(I) = V(I) + FIELD(NB(2,I))
      ENDDO
      CALL TURN(FIELD, V, NB)
      ENDDO
      TOTAL = 0
CDVM$ PARALLEL (I) ON FIELD(I), REDUCTION(SUM(TOTAL))
      DO I = 1, N
        TOTAL = TOTAL + FIELD(I) * I
      ENDDO
      PRINT *, TOTAL
C     what the loop writes is computed for the edge too
CDVM$ PARALLEL (I) ON FIELD(I),
CDVM$*SHADOW_COMPUTE(FIELD("all the neighbours of the cells"))
      DO I = 1, N
        FIELD(I) = I * 3
      ENDDO
CDVM$ PARALLEL (I) ON V(I)
      DO I = 1, N
        V(I) = FIELD(NB(1,I))
      ENDDO
      TOTAL = 0
CDVM$ PARALLEL (I) ON V(I), REDUCTION(SUM(TOTAL))
      DO I = 1, N
        TOTAL = TOTAL + V(I) * I
      ENDDO
      PRINT *, TOTAL
      CONTAINS
      SUBROUTINE TURN(A, B, K)
      REAL A(0:), B(0:)
      INTEGER K(2,0:*)
CDVM$ INHERIT A, B, K
      INTEGER I
CDVM$ SHADOW_ADD (B(K(1,M) - 1 WITH A(@M)) = 'first') INCLUDE_TO (A)
CDVM$ PARALLEL (I) ON A(I), SHADOW_RENEW(B('first'))
      DO I = 0, N - 1
        A(I) = B(K(1,I) - 1) / 2 - A(I)
      ENDDO
      END SUBROUTINE
      END
