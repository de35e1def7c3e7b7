C     Statements parted by ';' behind directives that stand alone.
      PROGRAM SEMICOLONS
      INTEGER A(12), B(12), C(12), I, E1, E2
CDVM$ DISTRIBUTE (BLOCK) :: A
CDVM$ ALIGN B(I) WITH A(I)
CDVM$ ASYNCID Y
CDVM$ DYNAMIC A, B
CDVM$ PARALLEL (I) ON A(I)
      DO I = 1, 12
        A(I) = I
      ENDDO
CDVM$ ASYNCHRONOUS Y
      B(:) = A(:)
CDVM$ END ASYNCHRONOUS
      DO I = 1, 12
        C(I) = I
      ENDDO
CDVM$ ASYNCWAIT Y
      E1=100;E2=100
CDVM$ PARALLEL (I) ON B(I), REDUCTION (MIN(E1))
      DO I = 1, 12
        IF (B(I) .NE. C(I)) E1 = MIN(E1, I)
      ENDDO
CDVM$ REDISTRIBUTE A(*)
      E2 = E2 - 1; E1 = E1 - 1
CDVM$ BARRIER
      PRINT *, E1; PRINT *, E2
      END
