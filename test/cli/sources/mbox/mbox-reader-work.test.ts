import { readMbox } from '../../../../cli/sources/mbox/mbox-reader.ts';

const megabyte = 1_000_000;
const dated = 'From a@example.net Sat Nov 21 08:38:00 2026\n';

/** A file that repeats a text, in chunks like those of an unpacked zip. */
const repeated = async function* (begin: string, text: string, length: number): AsyncGenerator<Buffer> {
  yield Buffer.from(begin);
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)).slice(0, 65_536 - (65_536 % text.length)));
  for (let sent = 0; sent < length; sent += chunk.length) yield chunk;
};

/** Reads an mbox. @returns the octets that were searched and copied, the largest buffer, and the messages. */
const workFor = async (chunks: AsyncIterable<Buffer>, maxMessageSize: number) => {
  const { indexOf, subarray, copy } = Buffer.prototype;
  const allocUnsafe = Buffer.allocUnsafe.bind(Buffer);
  const work = { searched: 0, copied: 0, views: 0, largest: 0, messages: [] as string[] };
  // Plain replacements: a spy of jest keeps the arguments of millions of calls.
  Object.assign(Buffer.prototype, {
    indexOf(this: Buffer, ...args: Parameters<typeof indexOf>) {
      const found = indexOf.apply(this, args);
      work.searched += (found < 0 ? this.length : found) - Math.max(0, typeof args[1] === 'number' ? args[1] : 0);
      return found;
    },
    subarray(this: Buffer, ...args: Parameters<typeof subarray>) {
      work.views += 1;
      return subarray.apply(this, args);
    },
    copy(this: Buffer, ...args: Parameters<typeof copy>) {
      const length = copy.apply(this, args);
      work.copied += length;
      return length;
    },
  });
  Buffer.allocUnsafe = (size) => {
    work.largest = Math.max(work.largest, size);
    return allocUnsafe(size);
  };
  try {
    for await (const { content, size } of readMbox(chunks, { maxMessageSize, quoting: 'mboxrd' })) {
      work.messages.push(content?.toString('latin1').slice(0, 20) ?? `too large: ${Math.round(size / megabyte)} MB`);
    }
    return work;
  } finally {
    Object.assign(Buffer.prototype, { indexOf, subarray, copy });
    Buffer.allocUnsafe = allocUnsafe;
  }
};

describe('reading an mbox takes work and memory in proportion to its size', () => {
  const size = 3 * megabyte;
  const maxMessageSize = megabyte;

  test.each([
    ['a header that does not end', dated, 'x'],
    ['a header of many lines that does not end', dated, 'X: y\r\n'],
    ['lines that begin a message in no way', `${dated}Subject: a\n\n`, '\n\nFrom here on\n'],
    ['lines that nearly begin a message', `${dated}Subject: a\n\nx\n`, 'From a@example.net Sat Nov 21 08:38:00 2026\nX: y\n'],
  ])('with %s', async (_, begin, text) => {
    const { messages, searched, copied, largest } = await workFor(repeated(begin, text, size), maxMessageSize);
    expect(messages).toEqual([expect.stringMatching(/^too large: 3 MB$/)]);
    expect(searched).toBeLessThan(8 * size);
    expect(copied).toBeLessThan(8 * size);
    expect(largest).toBeLessThan(4 * maxMessageSize);
  });

  test('with nothing but blank lines', async () => {
    const { messages, views } = await workFor(repeated('', '\r\n', size), maxMessageSize);
    expect(messages).toEqual([]);
    expect(views).toBeLessThan(size / 100);
  });

  test('with many messages that claim a large Content-Length', async () => {
    const message = `${dated}Content-Length: 999999\n\nx\n\n`;
    const { messages, searched, copied } = await workFor(repeated('', message, megabyte), maxMessageSize);
    expect(messages.length).toBeGreaterThan(10_000);
    expect(searched).toBeLessThan(8 * megabyte + 1000 * messages.length);
    expect(copied).toBeLessThan(8 * megabyte);
  });
});
