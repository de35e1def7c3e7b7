C Gauss elimination.  Rows are distributed, each is whole on its processor; the row of the pivot is needed by all of them
C and comes by REMOTE_ACCESS, as does each unknown once it is known.
      PROGRAM GAUSS
      PARAMETER (N=60)
      DOUBLE PRECISION A(N,N+1), X(N), FACTOR, TOTAL
CDVM$ DISTRIBUTE A(BLOCK,*)
CDVM$ SHADOW A(0:0,0:0)
CDVM$ ALIGN X(I) WITH A(I,*)
CDVM$ SHADOW X(0:0)
CDVM$ PARALLEL (I) ON A(I,*), NEW(J)
      DO 20 I = 1, N
        DO 10 J = 1, N
          A(I,J) = 1D0 / (I + J - 1)
          IF (I .EQ. J) A(I,J) = N + 1
   10   CONTINUE
        A(I,N+1) = I - 1
   20 CONTINUE

      DO 50 K = 1, N-1
CDVM$   PARALLEL (I) ON A(I,*), REMOTE_ACCESS(A(K,:)), NEW(J,FACTOR)
        DO 40 I = K+1, N
          FACTOR = A(I,K) / A(K,K)
          DO 30 J = K, N+1
            A(I,J) = A(I,J) - FACTOR * A(K,J)
   30     CONTINUE
   40   CONTINUE
   50 CONTINUE

      X(N) = A(N,N+1) / A(N,N)
      DO 70 K = N-1, 1, -1
CDVM$   PARALLEL (I) ON A(I,*), REMOTE_ACCESS(X(K+1))
        DO 60 I = 1, K
          A(I,N+1) = A(I,N+1) - A(I,K+1) * X(K+1)
   60   CONTINUE
        X(K) = A(K,N+1) / A(K,K)
   70 CONTINUE

      TOTAL = 0
CDVM$ PARALLEL (I) ON X(I), REDUCTION(SUM(TOTAL))
      DO 80 I = 1, N
        TOTAL = TOTAL + X(I)
   80 CONTINUE
      PRINT '(I3,A,F14.9)', N, ' unknowns, sum', TOTAL
      END
