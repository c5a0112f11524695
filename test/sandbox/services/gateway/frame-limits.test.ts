import { frameMeter } from '../../../../sandbox/services/gateway/frame-limits.ts';

type Frame = { readonly opcode?: number; readonly isLast?: boolean; readonly length: number };

const kilobyte = 1024;

/** A masked frame, as clients send it. */
const frame = ({ opcode = 1, isLast = true, length }: Frame): Buffer => {
  const first = (isLast ? 0x80 : 0) | opcode;
  const head =
    length < 126
      ? Buffer.from([first, 0x80 | length])
      : length < 65_536
        ? Buffer.from([first, 0x80 | 126, length >> 8, length & 0xff])
        : Buffer.from([first, 0x80 | 127, 0, 0, 0, 0, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4, 7), Buffer.alloc(length, 7)]);
};

const accepts = (...frames: Frame[]): boolean => {
  const meter = frameMeter();
  return frames.map(frame).every((bytes) => meter.nextViolation(bytes) === undefined);
};

describe('the frames of a client', () => {
  test('may have at most 32 KB each', () => {
    expect(accepts({ length: 5 }, { length: 32 * kilobyte })).toBe(true);
    expect(accepts({ length: 32 * kilobyte + 1 })).toBe(false);
    expect(accepts({ length: 70_000 })).toBe(false);
  });

  test('may have at most 128 KB together in one message', () => {
    const part = (isLast: boolean, opcode = 0): Frame => ({ opcode, isLast, length: 32 * kilobyte });
    const four = [part(false, 1), part(false), part(false)];
    expect(accepts(...four, part(true), ...four, part(true))).toBe(true);
    expect(accepts(...four, part(false), { opcode: 0, isLast: true, length: 1 })).toBe(false);
  });

  test('do not count a ping between the parts of a message', () => {
    const part = (isLast: boolean, opcode = 0): Frame => ({ opcode, isLast, length: 32 * kilobyte });
    expect(accepts(part(false, 1), part(false), part(false), { opcode: 9, length: 100 }, part(true))).toBe(true);
  });

  test('must be text', () => {
    const meter = frameMeter();
    expect([meter.nextViolation(frame({ length: 5 })), meter.nextViolation(frame({ opcode: 2, length: 5 }))]).toEqual([undefined, 'binary']);
    expect(frameMeter().nextViolation(frame({ opcode: 2, isLast: false, length: 70_000 }))).toBe('binary');
    expect(frameMeter().nextViolation(frame({ length: 70_000 }))).toBe('tooBig');
  });

  test('are measured independently of TCP packets', () => {
    const bytes = Buffer.concat([{ length: 3 }, { length: 300 }, { length: 32 * kilobyte + 1 }].map(frame));
    for (const size of [1, 2, 3, 7, 1000]) {
      const meter = frameMeter();
      const accepted: boolean[] = [];
      for (let at = 0; at < bytes.length && !accepted.includes(false); at += size)
        accepted.push(meter.nextViolation(bytes.subarray(at, at + size)) === undefined);
      expect([size, accepted.at(-1)]).toEqual([size, false]);
      expect(accepted.length * size).toBeLessThan(400 + size);
    }
  });
});
