C Declarations and their directives in an included file; a computed GOTO and an arithmetic IF around parallel loops.
      PROGRAM INCL
      INCLUDE 'shape.h'
      CALL SET
      DO 50 IT = 1, 3
CDVM$ PARALLEL (J,I) ON V(I,J), SHADOW_RENEW(U)
      DO 10 J = 2, N-1
      DO 10 I = 2, N-1
   10 V(I,J) = U(I,J-1) + U(I-1,J)
CDVM$ PARALLEL (J,I) ON U(I,J)
      DO 20 J = 2, N-1
      DO 20 I = 2, N-1
   20 U(I,J) = V(I,J) / 2
      IF (IT - 3) 50, 60, 60
   50 CONTINUE
   60 S = 0
CDVM$ PARALLEL (J,I) ON U(I,J), REDUCTION(SUM(S))
      DO J = 1, N
      DO I = 1, N
      S = S + U(I,J)
      END DO
      END DO
      PRINT *, S
      END
      SUBROUTINE SET
      INCLUDE 'shape.h'
CDVM$ PARALLEL (J,I) ON U(I,J)
      DO 10 J = 1, N
      DO 10 I = 1, N
      U(I,J) = I + J
   10 V(I,J) = 0
      END
