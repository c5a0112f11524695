/** One field of a message's header. */
export type HeaderField = {
  readonly name: string;
  /** The field as it is in the message, with folding, without the line end; one character per octet (latin1). */
  readonly raw: string;
};

type SplitMessage = { readonly fields: readonly HeaderField[]; readonly body: Buffer };

const endOfHeader = (text: string): { headerEnd: number; bodyStart: number } => {
  if (/^\r?\n/.test(text)) return { headerEnd: 0, bodyStart: text.startsWith('\r') ? 2 : 1 };
  const blank = /\r?\n\r?\n/.exec(text);
  return blank ? { headerEnd: blank.index, bodyStart: blank.index + blank[0].length } : { headerEnd: text.length, bodyStart: text.length };
};

/** Splits a message into header fields and body (RFC 5322 §2.1). Lines that are not fields are dropped, as SES does when it sends. */
export const splitMessage = (message: Buffer): SplitMessage => {
  const text = message.toString('latin1');
  const { headerEnd, bodyStart } = endOfHeader(text);
  const lines = text
    .slice(0, headerEnd)
    .replaceAll(/\r?\n(?=[ \t])/g, '\r\n')
    .split(/\r?\n(?![ \t])/);
  const fields = lines.flatMap((raw) => {
    const name = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:/.exec(raw)?.[1];
    return name === undefined ? [] : [{ name, raw }];
  });
  return { fields, body: message.subarray(bodyStart) };
};

/** The lines of header fields. */
export const headerText = (fields: readonly HeaderField[]): Buffer => Buffer.from(fields.map(({ raw }) => `${raw}\r\n`).join(''), 'latin1');

/** Builds a message from header fields and body. */
export const joinMessage = ({ fields, body }: SplitMessage): Buffer => Buffer.concat([headerText(fields), Buffer.from('\r\n'), body]);

/** A header field. The folding of `value` is kept; other line breaks become spaces. */
export const field = (name: string, value: string): HeaderField => ({ name, raw: `${name}: ${value.replaceAll(/\r?\n(?![ \t])|\r(?!\n)/g, ' ')}` });

/** The unfolded value of a field (RFC 5322 §2.2.3); octets above ASCII are decoded as UTF-8. */
export const fieldValue = ({ name, raw }: HeaderField): string =>
  Buffer.from(
    raw
      .slice(raw.indexOf(':', name.length) + 1)
      .replaceAll(/\r?\n(?=[ \t])/g, '')
      .trim(),
    'latin1',
  ).toString('utf8');

/** The values of all fields of this name, in their order. */
export const valuesOf = (fields: readonly HeaderField[], name: string): string[] =>
  fields.filter((candidate) => candidate.name.toLowerCase() === name.toLowerCase()).map(fieldValue);
