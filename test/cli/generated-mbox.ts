import { fromLine, quoteMessage } from '../../cli/sources/mbox/mbox-format.ts';

const words = 'the mail of a person is moved from one server to another one with all its folders and From time to time a line is odd'.split(' ');

/** A random number from a seed, the same on every machine. */
const random = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const bodyOf = (number: number, next: () => number): string => {
  const lines = Array.from({ length: 1 + Math.floor(next() * 40) }, () =>
    Array.from({ length: 1 + Math.floor(next() * 12) }, () => words[Math.floor(next() * words.length)]).join(' '),
  );
  if (number % 7 === 0) lines.push('', 'From here on', '>From there', '', `From a Sat Nov 21 08:38:00 2026`, 'X: y');
  return `${lines.join('\n')}\n`;
};

/**
 * Generates messages of a mailbox. Some have CRLF line ends, quoted lines, bytes that are not UTF-8, or are replies.
 */
export const generatedMessages = (count: number, seed = 1): Buffer[] => {
  const next = random(seed);
  return Array.from({ length: count }, (_, number) => {
    const isAnswer = number > 0 && number % 3 === 0;
    const text = [
      `From: Person ${number % 17} <p${number % 17}@example.net>`,
      'To: alice@example.test',
      `Subject: ${isAnswer ? 'Re: ' : ''}Message ${isAnswer ? number - 1 : number}`,
      `Message-ID: <${number}.${seed}@example.net>`,
      ...(isAnswer ? [`In-Reply-To: <${number - 1}.${seed}@example.net>`] : []),
      ...(number % 5 === 0 ? ['Content-Type: text/plain; charset=iso-8859-1', 'X-Name: Gr\u00fc\u00dfe'] : []),
      '',
      bodyOf(number, next),
    ].join('\n');
    return Buffer.from(number % 4 === 0 ? text.replaceAll('\n', '\r\n') : text, 'latin1');
  });
};

/** An mboxrd with one message received each minute, octet for octet as an export writes it. */
export const mboxrdOf = (messages: readonly Buffer[]): Buffer =>
  Buffer.concat(
    messages.flatMap((message, index) => {
      const lineEnd = message.includes('\r\n') ? '\r\n' : '\n';
      const line = fromLine(new Date(Date.UTC(2020, 0, 1) + index * 60_000));
      return [Buffer.from(`${line}${lineEnd}`), quoteMessage(message), Buffer.from(lineEnd)];
    }),
  );
