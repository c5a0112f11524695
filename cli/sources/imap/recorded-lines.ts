import type { Logger } from 'imapflow';
import { parseJson } from '../../../contract/values/parse-json.ts';
import { decodeFileName } from '../folder-names.ts';

/** Maximum lines that are kept, and maximum characters of a line. */
const maxLines = 4000;
const maxLine = 1024;

/** Lines of a server: those outside the grammar, which the client reads over, and all others but those of FETCH. */
export type RecordedLines = {
  /** The lines since the last call. `damaged` are as they came, in Latin-1; `understood` are as the client read them. */
  readonly take: () => { readonly damaged: readonly string[]; readonly understood: readonly string[] };
};

/** Records lines of a server by the log of the client, which tells of them nowhere else. */
export const recordedLines = (): RecordedLines & { readonly logger: Logger } => {
  const [damaged, understood]: [string[], string[]] = [[], []];
  const ignore = (): void => undefined;
  const record = (lines: string[], { src, msg }: { readonly src?: unknown; readonly msg?: unknown }): void => {
    if (src === 's' && typeof msg === 'string' && lines.length < maxLines) lines.push(msg.slice(0, maxLine).trimEnd());
  };
  return {
    logger: {
      info: ignore,
      warn: ignore,
      error: (entry: object) => {
        record(damaged, entry);
      },
      debug: (entry: object) => {
        record(understood, entry);
      },
    },
    take: () => ({ damaged: damaged.splice(0), understood: understood.splice(0) }),
  };
};

/** Whether a line is a response that a server may give to LIST. Any other may be a LIST response whose beginning is damaged. */
export const isKnownResponse = (line: string): boolean =>
  /^(?:\* (?:(?:X?LIST|LSUB|STATUS|FLAGS|CAPABILITY|ENABLED|NAMESPACE|ID|OK|NO|BAD|BYE) |\d+ )|[0-9A-F]+ (?:OK|NO|BAD)\b)/i.test(line);

/** A LIST response: the name is as the server spells it. */
export type ListLine = { readonly attributes: readonly string[]; readonly delimiter: string | undefined; readonly name: string };

/** A quoted text without its quotation marks, of which the second may be missing. */
const unquote = (text: string): string => (text.startsWith('"') ? text.slice(1).replace(/"$/, '').replaceAll(/\\(.)/gs, '$1') : text);

/** Reads a LIST response that is outside the grammar. Undefined for another line, and for one without a name. */
export const parseDamagedList = (line: string): ListLine | undefined => {
  const [, attributes = '', delimiter = '', rest = ''] = /^\* X?LIST (?:\(([^()]*)\) ?)?(?:(NIL|"\\?[^"]") )?(.*)$/is.exec(line) ?? [];
  const name = unquote(rest.trim());
  if (name === '' || /^\(|\{\d+\}$/.test(name)) return undefined;
  return {
    attributes: attributes
      .split(/\s+/)
      .map(unquote)
      .filter((each) => each !== ''),
    delimiter: unquote(delimiter).slice(-1) || undefined,
    name: decodeFileName(Buffer.from(name, 'latin1')),
  };
};

/** A name of several words in a LIST response without quotation marks. The client takes the first word for the name. */
export const unquotedListName = (line: string): { readonly first: string; readonly whole: string } | undefined => {
  const [, quoted, more = ''] = /^\* X?LIST \([^()]*\) (?:NIL|"\\?\\?[^"]") ("[^"]*"|[^\s"(]+) ([^(].*)$/is.exec(line) ?? [];
  if (quoted === undefined || more.includes('(* ')) return undefined;
  const first = quoted.startsWith('"') ? parseJson(quoted) : quoted;
  return typeof first === 'string' ? { first, whole: `${first} ${more}` } : undefined;
};

/** The end of the flags in a FETCH response: another item with its value follows, or nothing. */
const afterFlags = /\)(?= [A-Z][A-Z0-9.-]{2,30} (?:[("\d]|NIL)|\)?\s*$)/;

/** The UID and the flags of a FETCH response that is outside the grammar. Undefined for another line. */
export const parseDamagedFetch = (line: string): { readonly uid: number; readonly flags: readonly string[] | undefined } | undefined => {
  const [, uid] = /^\* \d+ FETCH \((?:.*? )?UID (\d{1,10})(?!\d)/is.exec(line) ?? [];
  if (uid === undefined) return undefined;
  const start = /[( ]FLAGS \(/i.exec(line);
  const rest = start ? line.slice(start.index + start[0].length) : '';
  const end = afterFlags.exec(rest)?.index;
  return {
    uid: Number(uid),
    flags:
      end === undefined
        ? undefined
        : rest
            .slice(0, end)
            .split(/\s+/)
            .filter((flag) => flag !== ''),
  };
};
