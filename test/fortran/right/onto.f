C     Two tasks on processors of their own.
      PROGRAM ONTO
      PARAMETER (N=16)
      REAL A(N,N), B(N,N), C(N,N), S
      INTEGER LP(2), HP(2)
CDVM$ PROCESSORS P(4)
CDVM$ TASK MB(2)
CDVM$ DISTRIBUTE :: A, B
CDVM$ ALIGN C(I,J) WITH B(I,J)
      LP(1) = 1
      HP(1) = 2
      LP(2) = 3
      HP(2) = 4
CDVM$ MAP MB(1) ONTO P( LP(1) : HP(1) )
CDVM$ REDISTRIBUTE A(*,BLOCK) ONTO MB(1)
CDVM$ MAP MB(2) ONTO P(LP(2):HP(2))
CDVM$ REDISTRIBUTE B(*,BLOCK) ONTO MB(2)
CDVM$ TASK_REGION MB
CDVM$ ON MB(1)
CDVM$ PARALLEL (J,I) ON A(I,J)
      DO 10 J = 1, N
      DO 10 I = 1, N
   10 A(I,J) = I + J
CDVM$ END ON
CDVM$ ON MB(2)
CDVM$ PARALLEL (J,I) ON B(I,J)
      DO 20 J = 1, N
      DO 20 I = 1, N
      C(I,J) = J
   20 B(I,J) = I*J
CDVM$ PARALLEL (J,I) ON B(I,J), SHADOW_RENEW(C)
      DO 25 J = 2, N-1
      DO 25 I = 2, N-1
   25 B(I,J) = B(I,J) + C(I,J-1) + C(I,J+1)
CDVM$ END ON
CDVM$ END  TASK_REGION
      S = 0
CDVM$ PARALLEL (J,I) ON
CDVM$*A(I,J), REMOTE_ACCESS(B(I,J)),
CDVM$*REDUCTION(SUM(S))
      DO 30 J = 1, N
      DO 30 I = 1, N
   30 S = S + A(I,J)*B(I,J)
      PRINT '(F12.1)', S
      END
