C     Loops that end with one statement: a parallel one inside of others.
      PROGRAM LABELS
      PARAMETER (N = 12)
      REAL A(N,N), X(N)
CDVM$ DISTRIBUTE A (BLOCK,BLOCK)
CDVM$ ALIGN X(I) WITH A(I,1)
CDVM$ PARALLEL (J,I) ON A(I,J)
      DO 10 J = 1, N
      DO 10 I = 1, N
   10 A(I,J) = I + J
      S = 0
      DO 20 K = 1, 3
      DO 20, L = 1, 2
      T = K * L
CDVM$ PARALLEL (J,I) ON A(I,J), SHADOW_RENEW(A), REDUCTION(SUM(S))
      DO 20 J = 2, N - 1
      DO 20 I = 2, N - 1
      IF (MOD(I + J, 2) .EQ. 0) GOTO 20
      S = S + T * (A(I-1,J) + A(I,J+1))
   20 CONTINUE
CDVM$ REMOTE_ACCESS (A(:,:))
      DO 30 K = 1, 2
CDVM$ PARALLEL (I) ON X(I)
      DO 30 I = 1, N
   30 X(I) = K + A(I,1)
CDVM$ REMOTE_ACCESS (X(4))
      PRINT *, S, X(4)
      END
