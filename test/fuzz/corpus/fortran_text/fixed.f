C Fixed form: all sentinels, continuation, tabs, labels that are jumped to, implicit typing, COMMON, statement functions.
      SUBROUTINE INIT
      COMMON /DATA/ A(10,10), B(10,10)
cdvm$ distribute (block,block) :: a
*dvm$ align (i,j) with a(i,j) :: b
!DVM$ SHADOW (1:1,1:1) :: A
      SQ(X) = X * X
!DVM$ PARALLEL (J,I) ON A(I,J)
      DO 10 J = 1, 10
      DO 10 I = 1, 10
      A(I,J) = SQ(REAL(I)) + J
   10 B(I,J) = 0
      END
      PROGRAM FIXED
      COMMON /DATA/ A(10,10), B(10,10)
!DVM$ DISTRIBUTE (BLOCK,BLOCK) :: A
!DVM$ ALIGN (I,J) WITH A(I,J) :: B
!DVM$ SHADOW (1:1,1:1) :: A
      CALL INIT
      K = 0
CDVM$ PARALLEL (J,I)
CDVM$*  ON B(I,J),
C     a comment between the lines
CDVM$*  SHADOW_RENEW(A(0:1,1:0)(CORNER))

   20 DO 30 J = 2, 10
      DO 30 I = 1, 9
	B(I,J) = A(I+1,J-1)
     1   + A(I,J)
   30 CONTINUE
      K = K + 1
      IF (K .LT. 3) GOTO 20
      S = 0
CDVM$ PARALLEL (J,I) ON B(I,J), REDUCTION (SUM(S))
      DO J = 1, 10
      DO I = 1, 10
      S = S + B(I,J)
      ENDDO
      ENDDO
      PRINT *, S
      END
