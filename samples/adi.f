C Alternating directions: a line of the grid is swept forwards and backwards in one dimension, then in the other.
      PROGRAM ADI
      PARAMETER (N=48, ISTEPS=10)
      DOUBLE PRECISION U(N,N), C(N,N), TOTAL
CDVM$ DISTRIBUTE (BLOCK,BLOCK) :: U
CDVM$ ALIGN C(I,J) WITH U(I,J)
CDVM$ PARALLEL (J,I) ON U(I,J)
      DO 10 J = 1, N
      DO 10 I = 1, N
        U(I,J) = 0
        IF (I .EQ. 1 .OR. J .EQ. 1) U(I,J) = 10
        C(I,J) = 1D0 / (4 + MOD(I + J - 2, 3))
   10 CONTINUE

      DO 60 ISTEP = 1, ISTEPS
CDVM$   PARALLEL (J,I) ON U(I,J), ACROSS(U(0:0,1:0))
        DO 20 J = 2, N
        DO 20 I = 1, N
   20   U(I,J) = U(I,J) + C(I,J) * U(I,J-1)
CDVM$   PARALLEL (J,I) ON U(I,J), ACROSS(U(0:0,0:1))
        DO 30 J = N-1, 1, -1
        DO 30 I = 1, N
   30   U(I,J) = (U(I,J) + C(I,J) * U(I,J+1)) / 2
CDVM$   PARALLEL (J,I) ON U(I,J), ACROSS(U(1:0,0:0))
        DO 40 J = 1, N
        DO 40 I = 2, N
   40   U(I,J) = U(I,J) + C(I,J) * U(I-1,J)
CDVM$   PARALLEL (J,I) ON U(I,J), ACROSS(U(0:1,0:0))
        DO 50 J = 1, N
        DO 50 I = N-1, 1, -1
   50   U(I,J) = (U(I,J) + C(I,J) * U(I+1,J)) / 2
   60 CONTINUE

      TOTAL = 0
CDVM$ PARALLEL (J,I) ON U(I,J), REDUCTION(SUM(TOTAL))
      DO 70 J = 1, N
      DO 70 I = 1, N
   70 TOTAL = TOTAL + U(I,J)
      PRINT '(I3,A,F14.9)', ISTEPS, ' steps, sum', TOTAL
      END
