import { transferEncodingOf, type ContentField, type ContentFieldReader } from './content-type.ts';
import { FieldRanges, parseFieldName, scanHeaderFields, type LastFields } from './header-fields.ts';
import { nextLine, withoutLineBreak } from './lines.ts';
import { parseLimits } from './parse-limits.ts';

/** Fields of messages that occur once in a header. */
const onceField = /^(?:from|to|cc|subject|date|message-id|sender|reply-to|in-reply-to|references|mime-version|content-[\w-]+)$/i;

/** Fields of messages that may occur several times in a header. */
const repeatableField = new RegExp(
  '^(?:(?:received|x|arc|resent|list|thread|dkim|domainkey|disposition-notification)-.+|received|return-path|delivered-to' +
    '|authentication-results|bcc|user-agent|auto-submitted|feedback-id|errors-to)$',
  'i',
);

/** Fields that describe a part. Others have no meaning in its header (RFC 2046 §5.1). */
const partField = /^(?:content-|x-|mime-version$)/i;

const isContentType = /^content-type$/i;
const isTransferEncoding = /^content-transfer-encoding$/i;

/** The header of a message or part, while the lines in it that belong to no field are judged. */
class OpenHeader {
  readonly fields: FieldRanges;
  readonly #block: Buffer;
  readonly #isPart: boolean;
  readonly #contentFields: ContentFieldReader;
  /** Undefined until they are taken from the fields, and after each further field of the name. */
  #delimiter: string | undefined;
  #isBase64: boolean | undefined;

  constructor(block: Buffer, isPart: boolean, contentFields: ContentFieldReader) {
    this.#block = block;
    this.#isPart = isPart;
    this.#contentFields = contentFields;
    this.fields = new FieldRanges(block);
  }

  add(name: string, start: number, end: number): void {
    this.fields.add(name, start, end);
    if (isContentType.test(name)) this.#delimiter = undefined;
    if (isTransferEncoding.test(name)) this.#isBase64 = undefined;
  }

  /** The line at which the header goes on after a line that belongs to no field. Undefined when the body begins there. */
  lineAfter(outside: number): number | undefined {
    const next = nextLine(this.#block, outside);
    if (this.#isDelimiter(outside, next)) return undefined;
    this.#isBase64 ??= transferEncodingOf(this.#contentField('content-transfer-encoding')) === 'base64';
    if (this.#isBase64 && !/^[\w+/=-]+\s*$/.test(this.#block.toString('latin1', outside, next))) return next;
    for (let line = next; line < this.#block.length;) {
      const end = nextLine(this.#block, line);
      if (this.#isDelimiter(line, end)) return undefined;
      const name = parseFieldName(this.#block, line, end, this.fields.size === 0)?.name;
      if (name !== undefined && this.#isKnown(name)) {
        return repeatableField.test(name) || !this.fields.get(name.toLowerCase()) ? line : undefined;
      }
      line = end;
    }
    return undefined;
  }

  #isKnown(name: string): boolean {
    return this.#isPart ? partField.test(name) : isMessageField(name);
  }

  /** Whether the line is a delimiter of the multipart whose header this is. */
  #isDelimiter(line: number, next: number): boolean {
    if (this.#block[line] !== 0x2d || this.#block[line + 1] !== 0x2d) return false;
    this.#delimiter ??= this.#contentField('content-type')?.parameters.get('boundary')?.slice(0, parseLimits.boundary).trimEnd() ?? '';
    if (this.#delimiter === '' || next - line > 2 * parseLimits.boundary) return false;
    return (
      this.#block
        .toString('latin1', line + 2, next)
        .trimEnd()
        .replace(/--$/, '') === this.#delimiter
    );
  }

  #contentField(name: string): ContentField | undefined {
    return this.#contentFields.parsed(this.fields.get(name));
  }
}

const isMessageField = (name: string): boolean => onceField.test(name) || repeatableField.test(name);

/** The fields of a header block, and where the body begins in it, if it does. */
type ReadHeader = { readonly fields: LastFields; readonly body: number | undefined };

/**
 * Reads a header block that should end with an empty line, but may not. The body begins at the first line that is
 * neither a field nor folded, unless of the fields behind it that messages usually have, the next one is one that this
 * header may still have.
 */
export const readHeader = (block: Buffer, isPart: boolean, contentFields: ContentFieldReader): ReadHeader => {
  const searched = block.subarray(0, parseLimits.headerBlock);
  const header = new OpenHeader(searched, isPart, contentFields);
  let body: number | undefined;
  scanHeaderFields(
    searched,
    (name, start, end) => header.add(name, start, end),
    (line) => {
      const next = header.lineAfter(line);
      if (next === undefined) body = line;
      return next ?? searched.length;
    },
  );
  return { fields: header.fields, body };
};

/** Fields that show that a header, and not text, stands behind empty lines. */
const convincingFields = 3;

/** The start of a message's header. Behind empty lines it must have at least {@link convincingFields} that messages have. */
export const headerStart = (message: Buffer): number => {
  const isEmpty = (line: number, next: number): boolean => withoutLineBreak(message, line, next) === line;
  let start = 0;
  for (let next = nextLine(message, 0); start < message.length && isEmpty(start, next); next = nextLine(message, start)) start = next;
  if (start === 0) return 0;
  const names = new Set<string>();
  const end = Math.min(message.length, parseLimits.headerBlock);
  for (let line = start, next = nextLine(message, start); line < end && !isEmpty(line, next); line = next, next = nextLine(message, line)) {
    const name = parseFieldName(message, line, next, line === start)?.name;
    if (name !== undefined && isMessageField(name)) names.add(name.toLowerCase());
    if (names.size === convincingFields) return start;
  }
  return 0;
};
