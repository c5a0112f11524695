/* Messages of a history. The number of a message decides all of its texts, so that it is recognized in any account. */

const words = ['alpha', 'beta', 'gamma', 'gamut', 'delta', 'zeta'];
const word = (number: number): string => words[((number % words.length) + words.length) % words.length]!;

const threads = 4;

/** The Message-ID to which all messages of a Thread refer; undefined for a message that starts a new Thread. */
export const rootOf = (number: number): string | undefined => (number % 5 === 4 ? undefined : `root-${number % threads}@example.net`);

export const textsOf = (number: number) => ({
  from: `${word(number * 3)} ${word(number * 3 + 1)}`,
  subject: `${word(number % threads)} ${word((number % threads) + 1)} ${number % threads}`,
  body: Array.from({ length: 6 }, (_, i) => word(number * 7 + i * i + Math.floor(number / 3))).join(' '),
});

export const messageIdOf = (number: number): string => `${number}@example.net`;

const [firstTime, minute] = [Date.UTC(2026, 10, 20), 60_000];

/**
 * A time in milliseconds since 1970, different for each message, so that a row identifies its message without a read of
 * the record.
 */
export const receivedAtOf = (number: number): number => firstTime + number * minute;

/** The number of the message of an Email. */
export const numberOf = ({ receivedAt }: { readonly [property: string]: unknown }): number => (Date.parse(receivedAt as string) - firstTime) / minute;

/** The time at which histories begin. All initial messages were received before. */
export const firstMoment = Date.UTC(2026, 10, 22);

/** Whether an Email is a report about sent mail, which is received during a history. */
export const isReport = ({ receivedAt }: { readonly [property: string]: unknown }): boolean => Date.parse(receivedAt as string) >= firstMoment;

export const rawMessage = (number: number): string => {
  const { from, subject, body } = textsOf(number);
  const root = rootOf(number);
  return [
    `From: ${from} <sender@example.net>`,
    'To: Alice <alice@example.test>',
    `Subject: ${subject}`,
    `Message-ID: <${messageIdOf(number)}>`,
    ...(root === undefined ? [] : [`References: <${root}>`]),
    'Date: Fri, 20 Nov 2026 08:38:00 +0100',
    'Content-Type: text/plain; charset=utf-8',
    '',
    body,
    '',
  ].join('\r\n');
};

/** The properties with which a client creates an Email that has the texts of the message. */
export const emailProperties = (number: number) => {
  const { from, subject, body } = textsOf(number);
  const root = rootOf(number);
  return {
    from: [{ name: from, email: 'alice@example.test' }],
    to: [{ name: 'Alice', email: 'alice@example.test' }],
    subject,
    messageId: [messageIdOf(number)],
    ...(root !== undefined && { references: [root] }),
    receivedAt: new Date(receivedAtOf(number)).toISOString(),
    bodyStructure: { partId: 'text', type: 'text/plain' },
    bodyValues: { text: { value: body } },
  };
};

type TextSearch = { readonly filter: { readonly [condition: string]: string }; readonly matches: (number: number) => boolean };

const search = (condition: string, text: string, pattern: RegExp, fields: readonly (keyof ReturnType<typeof textsOf>)[]): TextSearch => ({
  filter: { [condition]: text },
  matches: (number) => fields.some((field) => pattern.test(textsOf(number)[field])),
});

/** Searches, each with the numbers of the messages that match it. */
export const textSearches: readonly TextSearch[] = [
  search('body', 'gamma', /\bgamma\b/, ['body']),
  search('body', '"delta zeta"', /\bdelta zeta\b/, ['body']),
  search('subject', '"beta gamma"', /\bbeta gamma\b/, ['subject']),
  search('from', 'gam*', /\bgam/, ['from']),
  search('text', 'zeta', /\bzeta\b/, ['from', 'subject', 'body']),
  search('text', 'absent', /absent/, ['body']),
];
