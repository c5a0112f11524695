import { playSending } from '../../sendings/play-sending.ts';

describe('the pipeline of sent mail, with faults in every step', () => {
  test.each(Array.from({ length: 15 }, (_, index) => 9001 + index))(
    'sends to each recipient once or gives the sender a reason, in run %i', async (seed) => {
      const { submissions } = await playSending(seed);
      expect(submissions).toBeGreaterThanOrEqual(0);
    },
  );

  test('plays the same run for the same seed', async () => {
    expect(await playSending(9001)).toEqual(await playSending(9001));
  });
});
