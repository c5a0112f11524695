import PostalMime, { type Email } from 'postal-mime';
import type { OutboxEntry } from './outbox.ts';

/** A message of the outbox as a person and a test read it. */
export type OutboxMessage = OutboxEntry & {
  /** Of the header, where Bcc never is. */
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text?: string;
  readonly html?: string;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly size: number }[];
};

const written = (addresses: Email['to']): string[] =>
  (addresses ?? []).map(({ name, address }) => (name ? `${name} <${address ?? ''}>` : address ?? ''));

/** Reads a message of the outbox. */
export const read = async (entry: OutboxEntry, raw: Buffer): Promise<OutboxMessage> => {
  const message = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' });
  return {
    ...entry,
    to: written(message.to),
    cc: written(message.cc),
    replyTo: written(message.replyTo),
    headers: message.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    text: message.text,
    html: message.html,
    attachments: message.attachments.map(({ filename, mimeType, content }) =>
      ({ name: filename ?? '', type: mimeType, size: typeof content === 'string' ? content.length : content.byteLength })),
  };
};
