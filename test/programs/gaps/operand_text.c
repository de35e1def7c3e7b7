/* Gap: "Operand is shown cut at 64 characters, without index values; a five-point stencil gives one message per operand". */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][block]
double the_temperature_of_the_plate_before_the_present_step_in_kelvin_as_measured[N][N];
#pragma dvm array align([i][j] with the_temperature_of_the_plate_before_the_present_step_in_kelvin_as_measured[i][j])
double b[N][N];

int main(void) {
#pragma dvm parallel([row][column] on b[row][column])
  for (int row = 0; row < N; row++)
    for (int column = 0; column < N; column++)
      the_temperature_of_the_plate_before_the_present_step_in_kelvin_as_measured[row][column] = row;
#pragma dvm parallel([row][column] on b[row][column])
  for (int row = 1; row < N - 1; row++)
    for (int column = 1; column < N - 1; column++)
      b[row][column] = the_temperature_of_the_plate_before_the_present_step_in_kelvin_as_measured[row][column] + the_temperature_of_the_plate_before_the_present_step_in_kelvin_as_measured[row - 1][column] + the_temperature_of_the_plate_before_the_present_step_in_kelvin_as_measured[row][column + 1];
      // expect -1:114 error dvm-shadow-stale 'the_temperature_of_the_plate_before_the_present_step_in_kelvin_as_measured[0][1]'
      // note .*row=1, column=1
  printf("%g\n", b[2][2]);
  return 0;
}
