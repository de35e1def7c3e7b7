C     Static arrays keep their values and their places: COMMON under other names, SAVE.
      PROGRAM STATIC
      PARAMETER (N = 12)
      REAL A(0:N-1,N), X(N)
      COMMON /BLK/ A, X
CDVM$ DISTRIBUTE A (BLOCK,BLOCK)
CDVM$ SHADOW A (2:1,1:1)
CDVM$ DYNAMIC A
CDVM$ PARALLEL (J,I) ON A(I,J)
      DO 10 J = 1, N
      DO 10 I = 0, N - 1
   10 A(I,J) = I + 2 * J
      DO 20 I = 1, N
   20 X(I) = I
      DO 30 K = 1, 3
      CALL STEP(S)
      CALL KEPT(K)
   30 CONTINUE
      CALL MOVED
      PRINT *, S
      END

      SUBROUTINE STEP(S)
      PARAMETER (N = 12)
      REAL B(0:N-1,N), Y(N)
      COMMON /BLK/ B, Y
CDVM$ DISTRIBUTE B (BLOCK,BLOCK)
CDVM$ SHADOW B (2:1,1:1)
CDVM$ DYNAMIC B
      S = 0
CDVM$ PARALLEL (J,I) ON B(I,J), SHADOW_RENEW(B), REDUCTION(SUM(S))
      DO J = 2, N
        DO I = 2, N - 1
          S = S + B(I-2,J) + B(I,J-1) * Y(I)
        END DO
      END DO
CDVM$ PARALLEL (J,I) ON B(I,J)
      DO J = 1, N
        DO I = 0, N - 1
          B(I,J) = B(I,J) / 2
        END DO
      END DO
      END

      SUBROUTINE KEPT(K)
      REAL C(8)
      SAVE C
CDVM$ DISTRIBUTE C (BLOCK)
      IF (K .EQ. 1) THEN
CDVM$ PARALLEL (I) ON C(I)
        DO I = 1, 8
          C(I) = I
        END DO
      END IF
      T = 0
CDVM$ PARALLEL (I) ON C(I), REDUCTION(SUM(T))
      DO I = 1, 8
        T = T + C(I)
        C(I) = C(I) + K
      END DO
      PRINT *, T
      END

      SUBROUTINE MOVED
      PARAMETER (N = 12)
      REAL A(0:N-1,N), X(N)
      COMMON /BLK/ A, X
CDVM$ DISTRIBUTE A (BLOCK,BLOCK)
CDVM$ SHADOW A (2:1,1:1)
CDVM$ DYNAMIC A
CDVM$ REDISTRIBUTE A (*,BLOCK)
      CALL ROWS
      END

      SUBROUTINE ROWS
      PARAMETER (N = 12)
      REAL A(0:N-1,N), X(N)
      COMMON /BLK/ A, X
CDVM$ DISTRIBUTE A (BLOCK,BLOCK)
CDVM$ SHADOW A (2:1,1:1)
CDVM$ DYNAMIC A
      T = 0
CDVM$ PARALLEL (J) ON A(*,J), REDUCTION(SUM(T))
      DO J = 1, N
        DO I = 3, N - 1
          T = T + A(I,J) * A(I-3,J)
        END DO
      END DO
      PRINT *, T
      END
