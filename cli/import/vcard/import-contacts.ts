import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { printable } from '../../../contract/values/printable.ts';
import { derivedUid } from '../../../core/mail-types/contact-card/derived-uid.ts';
import type { JmapClient } from '../../jmap/jmap-client.ts';
import { CliError, exitCodes, type ExitCode } from '../../terminal/cli-error.ts';
import type { MailContext } from '../../terminal/cli-context.ts';
import { numberText } from '../../terminal/progress-line.ts';
import { assertNotInterrupted } from '../../jmap/http-client.ts';
import { cardOfVCard } from './card-of-vcard.ts';
import { loadVCardFormat, vCardTextsIn, type VCardFormat } from './vcard-lines.ts';

/** Whether the source is a file with vCards. */
export const isVCardFile = (source: string): boolean => /\.(?:vcf|vcard)$/i.test(source);

/** Maximum cards, and maximum characters of cards, in one request. */
const maxCardsPerCall = 100;
const maxCharactersPerCall = 2_000_000;

/** The uid of a vCard without one is derived from its text, so that a repeated import adds it once. */
const uidOfText = (text: string): string => derivedUid(createHash('sha256').update(text).digest());

type Counts = { cards: number; imported: number; present: number; failed: number };

type ReadCard = { readonly number: number; readonly card: JsonObject };

/** Reads the cards of a text. Unreadable ones are reported. */
const readCards = (text: string, { parse }: VCardFormat, counts: Counts, context: MailContext): readonly ReadCard[] =>
  vCardTextsIn(text).flatMap((vCard, index) => {
    counts.cards += 1;
    try {
      const card = cardOfVCard(parse(vCard));
      return [{ number: index + 1, card: { ...card, uid: card['uid'] ?? uidOfText(vCard) } }];
    } catch {
      counts.failed += 1;
      context.printMessage(`vCard ${index + 1} cannot be read, and is left out.`);
      return [];
    }
  });

/** Cards of one request each. */
function* batchesOf(cards: readonly ReadCard[]): Generator<readonly ReadCard[], void, undefined> {
  let batch: ReadCard[] = [];
  let characters = 0;
  for (const each of cards) {
    const { length } = JSON.stringify(each.card);
    if (batch.length === maxCardsPerCall || (batch.length > 0 && characters + length > maxCharactersPerCall)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(each);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}

const defaultBookOf = async (client: JmapClient): Promise<string> => {
  const [answer] = await client.call([['AddressBook/get', { ids: null }, 'b']]);
  const books = answer?.['list'] as readonly { readonly id: string; readonly isDefault: boolean }[];
  const book = books.find(({ isDefault }) => isDefault) ?? books[0];
  if (!book) throw new CliError('the account has no address book');
  return book.id;
};

type SetResponse = {
  readonly created: { readonly [creationId: string]: unknown } | null;
  readonly notCreated: { readonly [creationId: string]: { readonly type: string; readonly description?: string } } | null;
};

/**
 * Adds the vCards of a file to the default AddressBook. A card whose uid the account has is not added again.
 * @returns `partly` when some cards were not imported; messages say which.
 */
export const importContacts = async (path: string, client: JmapClient, context: MailContext, isDryRun: boolean): Promise<ExitCode> => {
  const text = await readFile(path, 'utf8').catch(() => { throw new CliError(`${path} cannot be read`); });
  const counts: Counts = { cards: 0, imported: 0, present: 0, failed: 0 };
  const cards = readCards(text, await loadVCardFormat(), counts, context);
  const bookId = await defaultBookOf(client);
  for (const batch of isDryRun ? [] : batchesOf(cards)) {
    assertNotInterrupted(context.signal);
    const create = Object.fromEntries(batch.map(({ number, card }) => [`c${number}`, { ...card, addressBookIds: { [bookId]: true } }]));
    const [answer] = await client.call([['ContactCard/set', { create }, 's']]) as unknown as [SetResponse];
    counts.imported += Object.keys(answer.created ?? {}).length;
    for (const [creationId, { type, description }] of Object.entries(answer.notCreated ?? {})) {
      if (type === 'alreadyExists') counts.present += 1;
      else {
        counts.failed += 1;
        context.printMessage(`vCard ${creationId.slice(1)} was refused: ${printable(description ?? type)}`);
      }
    }
  }
  context.print(isDryRun
    ? `${numberText(counts.cards)} contacts, ${numberText(counts.failed)} that cannot be imported. Nothing was changed.`
    : `${numberText(counts.cards)} contacts: ${numberText(counts.imported)} imported, ${numberText(counts.present)} there already, `
      + `${numberText(counts.failed)} failed.`);
  return counts.failed > 0 ? exitCodes.partly : exitCodes.done;
};
