import { basename, dirname, join } from 'node:path';
import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { assertNotInterrupted } from '../../jmap/http-client.ts';
import type { JmapClient } from '../../jmap/jmap-client.ts';
import { loadVCardFormat, type VCardVersion } from '../../import/vcard/vcard-lines.ts';
import type { MailContext } from '../../terminal/cli-context.ts';
import { numberText } from '../../terminal/progress-line.ts';
import { exportRoot, replaceFile } from '../export-files.ts';
import { vCardOfCard } from './vcard-of-card.ts';

/** Cards of one request. 50 cards of the maximum size fit into a response. */
const cardsPerCall = 50;

/** The ids of all ContactCards. */
const listCards = async (client: JmapClient): Promise<readonly string[]> => {
  const all: string[] = [];
  for (;;) {
    const [answer] = await client.call([['ContactCard/query', { position: all.length, sort: [{ property: 'created' }] }, 'q']]);
    const ids = answer?.['ids'] as readonly string[];
    all.push(...ids);
    if (ids.length === 0) return [...new Set(all)];
  }
};

/** The card with `data:` URIs in place of blob ids. A blob that no longer exists is left out. */
const withContents = async (card: JsonObject, client: JmapClient): Promise<JsonObject> => {
  if (!isObject(card['media'])) return card;
  const media = new Map<string, unknown>();
  for (const [id, each] of Object.entries(card['media'])) {
    if (!isObject(each) || typeof each['blobId'] !== 'string') {
      media.set(id, each);
      continue;
    }
    const content = await client.download(each['blobId']);
    if (content) media.set(id, { ...each, uri: `data:${String(each['mediaType'])};base64,${content.toString('base64')}` });
  }
  return { ...card, media: Object.fromEntries(media) };
};

/** Writes all ContactCards of an account to one file. */
export const exportContacts = async (to: string, version: VCardVersion, client: JmapClient, context: MailContext): Promise<void> => {
  const { format } = await loadVCardFormat();
  const ids = await listCards(client);
  const vCards: string[] = [];
  for (let start = 0; start < ids.length; start += cardsPerCall) {
    assertNotInterrupted(context.signal);
    const [answer] = await client.call([['ContactCard/get', { ids: ids.slice(start, start + cardsPerCall) }, 'g']]);
    for (const card of (answer as { readonly list: readonly JsonObject[] }).list) {
      vCards.push(format(vCardOfCard(await withContents(card, client), version)));
    }
  }
  await replaceFile(join(await exportRoot(dirname(to)), basename(to)), vCards.join(''));
  context.print(`${numberText(vCards.length)} contacts to ${to}.`);
};
