import { basename, dirname, join } from 'node:path';
import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { printable } from '../../../contract/values/printable.ts';
import { formatVCard, type VCardVersion } from '../../import/vcard/content-lines.ts';
import { assertNotInterrupted, HttpRefused } from '../../jmap/http-client.ts';
import type { JmapClient } from '../../jmap/jmap-client.ts';
import type { MailContext } from '../../terminal/cli-context.ts';
import { exitCodes, type ExitCode } from '../../terminal/cli-error.ts';
import { numberText } from '../../terminal/progress-line.ts';
import { exportRoot, replaceFile } from '../export-files.ts';
import { vCardOfCard } from './vcard-of-card.ts';

/** Cards of one request. 50 cards of the maximum size fit into a response. */
const cardsPerCall = 50;

/** The ids of all ContactCards. */
const listCards = async (client: JmapClient): Promise<readonly string[]> => {
  const all: string[] = [];
  for (;;) {
    const [{ ids }] = await client.call<[{ readonly ids: readonly string[] }]>([
      ['ContactCard/query', { position: all.length, sort: [{ property: 'created' }] }, 'q'],
    ]);
    all.push(...ids);
    if (ids.length === 0) return [...new Set(all)];
  }
};

/** The name of a card for messages, or else its uid. */
const nameOf = ({ name, uid }: JsonObject): string =>
  printable(isObject(name) && typeof name['full'] === 'string' && name['full'] !== '' ? name['full'] : String(uid)).slice(0, 100);

/** Downloads a blob. @returns undefined when it does not exist or the server refuses it. */
const contentOf = (blobId: string, client: JmapClient): Promise<Buffer | undefined> =>
  client.download(blobId).catch((error: unknown) => {
    if (error instanceof HttpRefused) return undefined;
    throw error;
  });

/** The card with `data:` URIs in place of blob ids. A blob without content is left out, and said. */
const withContents = async (card: JsonObject, client: JmapClient, leftOut: (what: string) => void): Promise<JsonObject> => {
  if (!isObject(card['media'])) return card;
  const media = new Map<string, unknown>();
  for (const [id, each] of Object.entries(card['media'])) {
    if (!isObject(each) || typeof each['blobId'] !== 'string') {
      media.set(id, each);
      continue;
    }
    const { blobId, mediaType, ...rest } = each;
    const content = await contentOf(blobId, client);
    if (content) media.set(id, { ...rest, uri: `data:${String(mediaType)};base64,${content.toString('base64')}` });
    else leftOut(`its ${String(each['kind'])}, which cannot be downloaded`);
  }
  return { ...card, media: Object.fromEntries(media) };
};

/** The text of a card as a vCard. @returns undefined when it cannot be written. */
const vCardText = (card: JsonObject, version: VCardVersion, leftOut: (what: string) => void): string | undefined => {
  try {
    const { lines, leftOut: unwritten } = vCardOfCard(card, version);
    for (const property of unwritten) leftOut(`the property ${property} of vCardProps`);
    return formatVCard(lines, version);
  } catch {
    leftOut('all of it, since it cannot be written as a vCard');
    return undefined;
  }
};

/**
 * Writes all ContactCards of an account to one file.
 * @returns `partly` when something was left out; messages say of which contact.
 */
export const exportContacts = async (to: string, version: VCardVersion, client: JmapClient, context: MailContext): Promise<ExitCode> => {
  const ids = await listCards(client);
  const vCards: string[] = [];
  let exitCode: ExitCode = exitCodes.done;
  for (let start = 0; start < ids.length; start += cardsPerCall) {
    assertNotInterrupted(context.signal);
    const [{ list }] = await client.call<[{ readonly list: readonly JsonObject[] }]>([
      ['ContactCard/get', { ids: ids.slice(start, start + cardsPerCall) }, 'g'],
    ]);
    for (const card of list) {
      const leftOut = (what: string): void => {
        exitCode = exitCodes.partly;
        context.printMessage(`${nameOf(card)}: left out ${printable(what)}.`);
      };
      const text = vCardText(await withContents(card, client, leftOut), version, leftOut);
      if (text !== undefined) vCards.push(text);
    }
  }
  await replaceFile(join(await exportRoot(dirname(to)), basename(to)), vCards.join(''));
  context.print(`${numberText(vCards.length)} contacts to ${to}.`);
  return exitCode;
};
