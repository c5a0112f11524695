import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { sendResponse } from '../../../../core/runtime/http/streamed.ts';

/** A stream whose reader takes so many pieces, each after so many milliseconds, and then nothing. */
const readBy = ({ pieces, pause = 0 }: { pieces: number; pause?: number }) => {
  const taken: Buffer[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write: (piece: Buffer, _, done) => {
      if (taken.length === pieces) return;
      taken.push(piece);
      setTimeout(done, pause);
    },
  });
  return { stream, octets: () => Buffer.concat(taken), isClosed: () => stream.destroyed };
};

/** Records the state of a response's stream at its release, before which the stream must not be destroyed. */
const released = (stream: Writable) => {
  const states: boolean[] = [];
  return { states, release: async () => void states.push(stream.destroyed && !stream.writableFinished) };
};

const content = [Buffer.alloc(1_000_000, 'a'), Buffer.alloc(0), Buffer.alloc(500_000, 'b')];

describe('a streamed response', () => {
  test('has all octets of the body and of the content, and is then released', async () => {
    const stream = new PassThrough();
    const { states, release } = released(stream);
    const [octets] = await Promise.all([stream.toArray(), sendResponse({ body: 'x', content, release }, stream)]);
    expect(Buffer.concat(octets as Buffer[]).equals(Buffer.concat([Buffer.from('x'), ...content]))).toBe(true);
    expect(states).toEqual([false]);
  });

  test('without content has a first piece, before which the runtime writes the header fields', async () => {
    const { stream } = readBy({ pieces: 1 });
    const written = jest.spyOn(stream, 'write');
    await sendResponse({}, stream);
    expect(written).toHaveBeenCalledTimes(1);
    expect(stream.writableFinished).toBe(true);
  });

  test('is cut off when the reader takes nothing for the time of a stall, after it was released', async () => {
    const { stream, octets } = readBy({ pieces: 3 });
    const { states, release } = released(stream);
    const closed = once(stream, 'close').catch(() => undefined);
    await expect(sendResponse({ content, endsBy: Date.now() + 60_000, release }, stream, 0.1)).rejects.toThrow('The reader took nothing for 0.1 seconds.');
    await closed;
    expect([states, stream.writableFinished]).toEqual([[false], false]);
    expect(octets().length).toBeLessThan(1_000_000);
  });

  test('stays cut off when the reader takes the rest while it is released', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    let octets = 0;
    const release = async () => {
      stream.on('data', (piece: Buffer) => {
        octets += piece.length;
      });
      await delay(50);
    };
    await expect(sendResponse({ content, endsBy: Date.now() + 60_000, release }, stream, 0.1)).rejects.toThrow('The reader took nothing');
    expect([stream.writableFinished, octets < 200_000]).toEqual([false, true]);
  });

  test('is cut off at its end, although the reader takes a piece again and again', async () => {
    const { stream } = readBy({ pieces: Infinity, pause: 40 });
    const { states, release } = released(stream);
    const sent = sendResponse({ content, endsBy: Date.now() + 300, release }, stream, 5);
    await expect(sent).rejects.toThrow('The reader took longer than 0 seconds.');
    expect([states, stream.destroyed, stream.writableFinished]).toEqual([[false], true, false]);
  });

  test('of a slow reader is whole when it ends in time', async () => {
    const { stream, octets } = readBy({ pieces: Infinity, pause: 10 });
    await sendResponse({ content, endsBy: Date.now() + 60_000 }, stream, 5);
    expect(octets().equals(Buffer.concat(content))).toBe(true);
  });

  test('is released when the stream breaks', async () => {
    const stream = new Writable({ write: (_piece, _encoding, done) => done(new Error('the connection is lost')) });
    const { states, release } = released(stream);
    await expect(sendResponse({ content, release }, stream)).rejects.toThrow('the connection is lost');
    expect(states).toHaveLength(1);
  });
});
