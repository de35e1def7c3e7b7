C Jacobi relaxation: each point of the grid becomes the mean of its four neighbours, until nothing changes much.
C The directives say how the grid would be cut into parts, and what each part needs from its neighbours.
      PROGRAM JACOBI
      PARAMETER (N=64, ISTEPS=200)
      DOUBLE PRECISION A(N,N), B(N,N), CHANGE
CDVM$ DISTRIBUTE (BLOCK,BLOCK) :: A
CDVM$ ALIGN B(I,J) WITH A(I,J)
CDVM$ SHADOW A(1:1,1:1)

CDVM$ PARALLEL (J,I) ON A(I,J)
      DO 10 J = 1, N
      DO 10 I = 1, N
        A(I,J) = 0
        IF (J .EQ. 1) THEN
          B(I,J) = 100
        ELSE
          B(I,J) = 0
        END IF
   10 CONTINUE

      DO 40 ISTEP = 1, ISTEPS
        CHANGE = 0
CDVM$   PARALLEL (J,I) ON A(I,J), REDUCTION(MAX(CHANGE))
        DO 20 J = 1, N
        DO 20 I = 1, N
          CHANGE = MAX(CHANGE, ABS(B(I,J) - A(I,J)))
          A(I,J) = B(I,J)
   20   CONTINUE
CDVM$   PARALLEL (J,I) ON B(I,J), SHADOW_RENEW(A)
        DO 30 J = 2, N-1
        DO 30 I = 2, N-1
          B(I,J) = (A(I-1,J) + A(I+1,J) +
     &              A(I,J-1) + A(I,J+1)) / 4
   30   CONTINUE
   40 CONTINUE
      PRINT '(I4,A,F10.6)', ISTEPS, ' steps, last change', CHANGE
      END
