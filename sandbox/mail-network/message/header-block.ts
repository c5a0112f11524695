/** One field of a message's header. */
export type HeaderField = {
  readonly name: string;
  /** The field as it stands in the message, folding included, without the line end. One character an octet. */
  readonly raw: string;
};

export type SplitMessage = { readonly fields: readonly HeaderField[]; readonly body: Buffer };

const endOfHeader = (text: string): { at: number; bodyFrom: number } => {
  if (/^\r?\n/.test(text)) return { at: 0, bodyFrom: text.startsWith('\r') ? 2 : 1 };
  const blank = /\r?\n\r?\n/.exec(text);
  return blank ? { at: blank.index, bodyFrom: blank.index + blank[0].length } : { at: text.length, bodyFrom: text.length };
};

/** Takes a message apart into header fields and body (RFC 5322 §2.1). Lines that are no field are dropped, as SES drops them. */
export const splitMessage = (message: Buffer): SplitMessage => {
  const text = message.toString('latin1');
  const { at, bodyFrom } = endOfHeader(text);
  const lines = text.slice(0, at).replaceAll(/\r?\n(?=[ \t])/g, '\r\n').split(/\r?\n(?![ \t])/);
  const fields = lines.flatMap((raw) => {
    const name = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:/.exec(raw)?.[1];
    return name === undefined ? [] : [{ name, raw }];
  });
  return { fields, body: message.subarray(bodyFrom) };
};

/** Puts a message together again. */
export const joinMessage = ({ fields, body }: SplitMessage): Buffer =>
  Buffer.concat([Buffer.from(`${fields.map((field) => `${field.raw}\r\n`).join('')}\r\n`, 'latin1'), body]);

/** A field of ours, folded as `value` is; other line breaks can't get in. */
export const field = (name: string, value: string): HeaderField => ({ name, raw: `${name}: ${value.replaceAll(/\r?\n(?![ \t])|\r(?!\n)/g, ' ')}` });

/** The field's value unfolded (RFC 5322 §2.2.3); octets above ASCII read as UTF-8. */
export const fieldValue = ({ name, raw }: HeaderField): string =>
  Buffer.from(raw.slice(raw.indexOf(':', name.length) + 1).replaceAll(/\r?\n(?=[ \t])/g, '').trim(), 'latin1').toString('utf8');

/** The values of all fields of this name, in their order. */
export const valuesOf = (fields: readonly HeaderField[], name: string): string[] =>
  fields.filter((candidate) => candidate.name.toLowerCase() === name.toLowerCase()).map(fieldValue);
