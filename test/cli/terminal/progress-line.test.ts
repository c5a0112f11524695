import { durationText, numberText, octetsText, progressLine, type ProgressState } from '../../../cli/terminal/progress-line.ts';

describe('amounts for people', () => {
  test('are octets, whole numbers and seconds', () => {
    expect([0, 999, 4200, 123_456_789, 5e13].map(octetsText)).toEqual(['0 octets', '999 octets', '4.2 KB', '123 MB', '50.0 TB']);
    expect([0, 1234, 1_000_000].map(numberText)).toEqual(['0', '1,234', '1,000,000']);
    expect([0, 44.4, 62, 3723].map(durationText)).toEqual(['0:00', '0:44', '1:02', '1:02:03']);
  });
});

const shown = (isInteractive: boolean, columns: number) => {
  let now = 0;
  let state: ProgressState = { messages: 0, octets: 0, failed: 0, part: 0 };
  const written: string[] = [];
  const line = progressLine(
    {
      terminal: {
        isInteractive,
        columns: () => columns,
        write: (text) => {
          written.push(text);
        },
      },
      now: () => now,
      printMessage: (text) => {
        written.push(`${text}\n`);
      },
    },
    () => state,
  );
  return {
    written,
    at: (seconds: number, next: ProgressState) => {
      now = seconds * 1000;
      state = next;
      line.show();
    },
    finish: line.finish,
  };
};

describe('progress', () => {
  test('is a bar in one line on a terminal, with the rate and the remaining time', () => {
    const { at, written, finish } = shown(true, 110);
    at(0.1, { messages: 1, octets: 10, failed: 0, part: 0.01 });
    at(10, { messages: 1000, octets: 5_000_000, failed: 2, part: 0.25 });
    finish();
    expect(written).toEqual(['\r\u001b[K[########----------------------] 25% · 1,000 messages · 100/s · 500 KB/s · 0:30 left · 2 failed', '\r\u001b[K']);
    const narrow = shown(true, 20);
    narrow.at(10, { messages: 1000, octets: 5_000_000, failed: 0, part: 0.25 });
    expect(narrow.written).toEqual(['\r\u001b[K25% · 1,000 message']);
  });

  test('is a line every ten seconds elsewhere, at the rate of the last half minute', () => {
    const { at, written, finish } = shown(false, 80);
    for (let second = 1; second <= 100; second += 1) {
      at(second, { messages: second < 60 ? second * 10 : 600, octets: 0, failed: 0, part: Math.min(0.6, second / 100) });
    }
    finish();
    expect(written).toHaveLength(10);
    expect(written[0]).toBe('10% · 100 messages · 10/s · 0 octets/s · 1:30 left\n');
    expect(written.at(-1)).toBe('60% · 600 messages · 0.0/s · 0 octets/s\n');
  });
});
