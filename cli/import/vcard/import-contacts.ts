import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { contactCardLimits } from '../../../contract/jmap/contact-card.ts';
import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { printable } from '../../../contract/values/printable.ts';
import { derivedUid } from '../../../core/mail/contact-card/contact-card-record.ts';
import { assertNotInterrupted, HttpRefused } from '../../jmap/http-client.ts';
import { MethodError, type JmapClient } from '../../jmap/jmap-client.ts';
import type { MailContext } from '../../terminal/cli-context.ts';
import { CliError, exitCodes, type ExitCode } from '../../terminal/cli-error.ts';
import { numberText } from '../../terminal/progress-line.ts';
import { cardOfVCard } from './card-of-vcard.ts';
import { parseVCard, UnreadableVCard, type VCardLines } from './content-lines.ts';
import { nameOfLines, vCardsIn } from './vcard-file.ts';

/** Whether the source is a file with vCards. */
export const isVCardFile = (source: string): boolean => /\.(?:vcf|vcard)$/i.test(source);

/** Maximum cards, and maximum octets of cards, in one request. */
const maxCardsPerCall = 100;
const maxOctetsPerCall = 2_000_000;

/** The uid of a vCard without one is derived from its lines, so that a repeated import adds it once. */
const uidOfLines = ({ lines }: VCardLines): string => derivedUid(createHash('sha256').update(lines.join('\n')).digest());

type Counts = { cards: number; imported: number; present: number; failed: number; /** Properties that were left out. */ shortened: number };

/** A card to import: its number in the file, its name for messages, and its octets as JSON. */
type ReadCard = { readonly number: number; readonly name: string; readonly card: JsonObject; readonly octets: number };

const inBrackets = (name: string): string => (name === '' ? '' : ` (${printable(name.slice(0, 80))})`);

const fullNameOf = ({ name }: JsonObject): string => (isObject(name) && typeof name['full'] === 'string' ? name['full'] : '');

/** The uid of a card. A second card of the file with the same uid and other contents gets another one, which is said. */
const uidOf = (vCard: VCardLines, given: unknown, seen: Map<string, VCardLines>, context: MailContext): string => {
  const derived = uidOfLines(vCard);
  const uid = typeof given === 'string' ? given : derived;
  const first = seen.get(uid);
  if (!first) seen.set(uid, vCard);
  if (!first || uidOfLines(first) === derived) return uid;
  context.printMessage(`vCard ${vCard.number} has the uid of vCard ${first.number}, and gets another one${inBrackets(nameOfLines(vCard))}.`);
  return derived;
};

/** Octets of a card for properties that the import or the server adds. */
const octetsForOthers = 1000;

/** The card without the largest of its kept properties, if it would be too large. What is left out is said. */
const withinLimit = (card: JsonObject, leftOut: (name: string) => void): JsonObject => {
  const octetsOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  const kept = Array.isArray(card['vCardProps']) ? (card['vCardProps'] as readonly (readonly unknown[])[]) : [];
  let octets = octetsOf({ ...card, media: undefined });
  const removed = new Set<readonly unknown[]>();
  for (const property of kept.toSorted((one, other) => octetsOf(other) - octetsOf(one))) {
    if (octets <= contactCardLimits.maxSizeContactCard - octetsForOthers) break;
    octets -= octetsOf(property);
    removed.add(property);
    leftOut(String(property[0]).toUpperCase());
  }
  return removed.size === 0 ? card : { ...card, vCardProps: kept.filter((property) => !removed.has(property)) };
};

/** Reads the cards of a file. Unreadable ones are reported. */
const readCards = (file: Buffer, counts: Counts, context: MailContext): readonly ReadCard[] => {
  const seen = new Map<string, VCardLines>();
  return vCardsIn(file).flatMap((vCard) => {
    counts.cards += 1;
    const { number } = vCard;
    try {
      const read = cardOfVCard(parseVCard(vCard));
      const card = withinLimit({ ...read, uid: uidOf(vCard, read['uid'], seen, context) }, (name) => {
        counts.shortened += 1;
        context.printMessage(`vCard ${number} is too large, and is imported without ${name}${inBrackets(nameOfLines(vCard))}.`);
      });
      return [{ number, name: fullNameOf(card) || nameOfLines(vCard), card, octets: Buffer.byteLength(JSON.stringify(card)) }];
    } catch (error) {
      counts.failed += 1;
      const reason = error instanceof UnreadableVCard ? error.message : 'its values cannot be read';
      context.printMessage(`vCard ${number} cannot be read, and is left out${inBrackets(nameOfLines(vCard))}: ${printable(reason)}.`);
      return [];
    }
  });
};

/** Cards of one request each. */
function* batchesOf(cards: readonly ReadCard[]): Generator<readonly ReadCard[], void, undefined> {
  let batch: ReadCard[] = [];
  let octets = 0;
  for (const each of cards) {
    if (batch.length === maxCardsPerCall || (batch.length > 0 && octets + each.octets > maxOctetsPerCall)) {
      yield batch;
      [batch, octets] = [[], 0];
    }
    batch.push(each);
    octets += each.octets;
  }
  if (batch.length > 0) yield batch;
}

const defaultBookOf = async (client: JmapClient): Promise<string> => {
  type Books = { readonly list: readonly { readonly id: string; readonly isDefault: boolean }[] };
  const [{ list: books }] = await client.call<[Books]>([['AddressBook/get', { ids: null }, 'b']]);
  const book = books.find(({ isDefault }) => isDefault) ?? books[0];
  if (!book) throw new CliError('the account has no address book');
  return book.id;
};

type SetResponse = {
  readonly created: { readonly [creationId: string]: unknown } | null;
  readonly notCreated: { readonly [creationId: string]: { readonly type: string; readonly description?: string } } | null;
};

/**
 * Creates the cards of one request, and reports those that the server refuses. A request that it refuses as a whole,
 * such as one that is too large, is repeated for each card, so that one card does not stop the others.
 */
const createCards = async (batch: readonly ReadCard[], bookId: string, client: JmapClient, counts: Counts, context: MailContext): Promise<void> => {
  const create = Object.fromEntries(batch.map(({ number, card }) => [`c${number}`, { ...card, addressBookIds: { [bookId]: true } }]));
  const refused = ({ number, name }: ReadCard, reason: string): void => {
    counts.failed += 1;
    context.printMessage(`vCard ${number} was refused: ${printable(reason)}${inBrackets(name)}`);
  };
  let answer: SetResponse;
  try {
    [answer] = await client.call<[SetResponse]>([['ContactCard/set', { create }, 's']]);
  } catch (error) {
    if (!(error instanceof MethodError || (error instanceof HttpRefused && (error.status === 400 || error.status === 413)))) throw error;
    if (batch.length === 1) return refused(batch[0]!, error.message);
    for (const each of batch) await createCards([each], bookId, client, counts, context);
    return undefined;
  }
  counts.imported += Object.keys(answer.created ?? {}).length;
  const notCreated = new Map(Object.entries(answer.notCreated ?? {}));
  for (const each of batch) {
    const problem = notCreated.get(`c${each.number}`);
    if (problem?.type === 'alreadyExists') counts.present += 1;
    else if (problem) refused(each, problem.description ?? problem.type);
  }
  return undefined;
};

/**
 * Adds the vCards of a file to the default AddressBook. A card whose uid the account has is not added again.
 * @returns `partly` when some cards were not imported; messages say which.
 */
export const importContacts = async (path: string, client: JmapClient, context: MailContext, isDryRun: boolean): Promise<ExitCode> => {
  const file = await readFile(path).catch(() => {
    throw new CliError(`${path} cannot be read`);
  });
  const counts: Counts = { cards: 0, imported: 0, present: 0, failed: 0, shortened: 0 };
  const cards = readCards(file, counts, context);
  if (counts.cards === 0 && file.length > 0) throw new CliError(`${path} has no vCard`);
  const bookId = await defaultBookOf(client);
  for (const batch of isDryRun ? [] : batchesOf(cards)) {
    assertNotInterrupted(context.signal);
    await createCards(batch, bookId, client, counts, context);
  }
  context.print(
    isDryRun
      ? `${numberText(counts.cards)} contacts, ${numberText(counts.failed)} that cannot be imported. Nothing was changed.`
      : `${numberText(counts.cards)} contacts: ${numberText(counts.imported)} imported, ${numberText(counts.present)} there already, ` +
          `${numberText(counts.failed)} failed.`,
  );
  return counts.failed + counts.shortened > 0 ? exitCodes.partly : exitCodes.done;
};
