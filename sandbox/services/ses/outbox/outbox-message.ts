import PostalMime, { type Email } from 'postal-mime';
import type { OutboxEntry } from './outbox.ts';

/** A parsed message of the outbox. */
export type OutboxMessage = OutboxEntry & {
  /** Recipients in the header, which has no Bcc. */
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text?: string;
  readonly html?: string;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly size: number }[];
};

const readable = (addresses: Email['to']): string[] => (addresses ?? []).map(({ name, address }) => (name ? `${name} <${address ?? ''}>` : (address ?? '')));

/** Parses a message of the outbox. */
export const readOutboxMessage = async (entry: OutboxEntry, raw: Buffer): Promise<OutboxMessage> => {
  const message = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' });
  return {
    ...entry,
    to: readable(message.to),
    cc: readable(message.cc),
    replyTo: readable(message.replyTo),
    headers: message.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    text: message.text,
    html: message.html,
    attachments: message.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? '',
      type: mimeType,
      size: typeof content === 'string' ? content.length : content.byteLength,
    })),
  };
};
