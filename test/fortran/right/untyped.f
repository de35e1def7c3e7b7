C     Names that no statement declares, in loops and under REMOTE_ACCESS.
      PROGRAM UNTYPED
      CALL LOOPS
      CALL BLOCKS
      END

      SUBROUTINE LOOPS
      PARAMETER (N = 12)
      REAL A(N), B(N)
CDVM$ DISTRIBUTE A(BLOCK)
CDVM$ ALIGN B(I) WITH A(I)
CDVM$ PARALLEL (I) ON A(I), PRIVATE(L1,S)
      DO 10 I = 1, N
        L1 = N - I
        S = L1 * 0.5
        A(I) = S
   10 B(I) = L1
CDVM$ PARALLEL (I) ON A(I)
      DO I = 1, N
        BLOCK
          REAL T
          T = A(I)
          B(I) = T + B(I)
        END BLOCK
      END DO
      T = 0
      DO 20 I = 1, N/2
CDVM$   REMOTE_ACCESS (B(2*I))
        U = B(2*I)
   20 T = T + U
      DO 30 I = 1, N
CDVM$   REMOTE_ACCESS (A(:))
        U = A(I)
   30 T = T + U
      PRINT *, T
      END

      SUBROUTINE BLOCKS
      PARAMETER (N = 12)
      REAL(8) W(6)
      INTEGER P(0:N-1,N), Q(5), LOW
      DATA W /2, 1, 3, 1, 2, 1/
CDVM$ DISTRIBUTE P(WGT_BLOCK(W,6),MULT_BLOCK(4))
CDVM$ DYNAMIC P
CDVM$ ALIGN Q(J) WITH P(2*J,*)
CDVM$ PARALLEL (J,I) ON P(I,J)
      DO J = 1, N
        DO I = 0, N - 1
          P(I,J) = I * J
        END DO
      END DO
CDVM$ PARALLEL (J) ON Q(J)
      DO J = 1, 5
        Q(J) = J
      END DO
CDVM$ REDISTRIBUTE P(*,MULT_BLOCK(3))
      LOW = N
CDVM$ PARALLEL (J,I) ON P(I,J), REDUCTION(MIN(LOW))
      DO J = 1, N
        DO I = 0, N - 1
          IF (P(I,J) .NE. I*J) LOW = MIN(LOW, I)
        END DO
      END DO
      PRINT *, LOW
      END
