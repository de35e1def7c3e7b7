C Successive over-relaxation: a point needs the new values of the points before it and the old ones of those behind it.
C 'ACROSS' declares these dependences, and the loop runs as a pipeline.
      PROGRAM SOR
      PARAMETER (N=64, ISTEPS=50)
      DOUBLE PRECISION A(N,N), CHANGE, OLD, W
*DVM$ DISTRIBUTE A(BLOCK,BLOCK)
      W = 1.5

*DVM$ PARALLEL (J,I) ON A(I,J)
      DO J = 1, N
        DO I = 1, N
          A(I,J) = 0
          IF (J .EQ. 1) A(I,J) = 100
        ENDDO
      ENDDO

      DO ISTEP = 1, ISTEPS
        CHANGE = 0
*DVM$   PARALLEL (J,I) ON A(I,J), ACROSS(A(1:1,1:1)),
*DVM$*  REDUCTION(MAX(CHANGE)), NEW(OLD)
        DO J = 2, N-1
          DO I = 2, N-1
            OLD = A(I,J)
            A(I,J) = W * (A(I-1,J) + A(I+1,J) + A(I,J-1) +
     &                    A(I,J+1)) / 4 + (1 - W) * OLD
            CHANGE = MAX(CHANGE, ABS(A(I,J) - OLD))
          ENDDO
        ENDDO
      ENDDO
      PRINT '(I4,A,F12.9)', ISTEPS, ' steps, last change', CHANGE
      END
