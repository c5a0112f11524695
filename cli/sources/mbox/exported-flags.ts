import { createInterface } from 'node:readline';
import * as z from 'zod';
import { parseJson } from '../../../contract/values/parse-json.ts';
import { openInSource } from '../source-file.ts';

/** The name of the file with the flags of an mbox that `export` wrote. It is next to the mbox. */
export const flagsFileOf = (mboxPath: string): string => `${mboxPath}.flags.jsonl`;

/**
 * A line of the flags file: properties of a message that an mbox can't contain. Lines are in the order of the messages.
 */
export const ExportedFlags = z.object({
  id: z.string(),
  /** Octets of the message. */
  size: z.number(),
  /** The offset in the mbox after the message and its blank line. */
  end: z.int().min(0),
  keywords: z.array(z.string()),
  receivedAt: z.string(),
  /** The names of each mailbox of the message, from the top. Absent when the mbox has the messages of one mailbox. */
  mailboxes: z
    .array(
      z.object({
        path: z.array(z.string()).min(1),
        role: z.string().nullable(),
        /** The role of the first mailbox of the path. */
        topRole: z.string().nullable().optional(),
      }),
    )
    .optional(),
});
export type ExportedFlags = z.output<typeof ExportedFlags>;

/** Parses a line of flags. Undefined when the line is not complete. */
export const parseFlags = (line: string): ExportedFlags | undefined => ExportedFlags.safeParse(parseJson(line)).data;

/** Reads the complete lines of a file of flags. Empty when the file does not exist, or is not read. */
export const readExportedFlags = async function* (path: Buffer, root: Buffer): AsyncGenerator<ExportedFlags> {
  const file = await openInSource(path, root).catch(() => undefined);
  if (!file) return;
  const input = file.createReadStream();
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const flags = parseFlags(line);
      if (!flags) return;
      yield flags;
    }
  } finally {
    input.destroy();
  }
};
