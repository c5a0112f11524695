import { readEmailContents, type EmailContent } from '../../mail/email/email-content.ts';
import { concurrencyLimit, mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { Objects } from '../../storage/objects.ts';
import type { Table } from '../../storage/table.ts';
import { searchDocument, type SearchDocument } from '../search-document.ts';
import { readSearchedMessage, searchedOctets } from '../searched-message.ts';

/** Maximum words of documents that a Lambda keeps in memory. Each takes about 16 octets. */
const maxRememberedWords = 1_000_000;

/**
 * Maximum messages that are read concurrently, and maximum octets of these together. A larger message is read alone.
 */
const messagesAtOnce = 32;
const octetsAtOnce = 32_000_000;

const wordsOf = ({ fields, headers }: SearchDocument): number =>
  100 + fields.flat().reduce((sum, { length }) => sum + length, 0) + headers.reduce((sum, { terms }) => sum + terms.length + 1, 0);

/**
 * The documents of Emails that were read recently. Documents never change. The least recently used ones are dropped
 * first.
 */
class RememberedDocuments {
  readonly #documents = new Map<string, SearchDocument>();
  #words = 0;

  get(key: string): SearchDocument | undefined {
    const document = this.#documents.get(key);
    if (!document) return undefined;
    this.#documents.delete(key);
    this.#documents.set(key, document);
    return document;
  }

  add(key: string, document: SearchDocument): void {
    if (this.#documents.has(key)) return;
    this.#documents.set(key, document);
    this.#words += wordsOf(document);
    for (const [oldest, dropped] of this.#documents) {
      if (this.#words <= maxRememberedWords) return;
      this.#documents.delete(oldest);
      this.#words -= wordsOf(dropped);
    }
  }
}

/** Counts octets before they are read. @throws Error when the octets are too many. */
type SpendOctets = (octets: number) => void;

/** Makes the documents of Emails from their messages. */
export const documentsOfMessages = async (objects: Pick<Objects, 'get'>, accountId: string, records: readonly EmailContent[]): Promise<SearchDocument[]> => {
  const inTurn = concurrencyLimit(messagesAtOnce);
  const groups: EmailContent[][] = [];
  let octets = Infinity;
  for (const record of records) {
    octets += searchedOctets(record);
    if (octets > octetsAtOnce) {
      groups.push([]);
      octets = searchedOctets(record);
    }
    groups.at(-1)!.push(record);
  }
  const documents: SearchDocument[] = [];
  for (const group of groups) {
    documents.push(
      ...(await mapConcurrently(group, (record) => inTurn(async () => searchDocument(record, await readSearchedMessage(objects, accountId, record))))),
    );
  }
  return documents;
};

/** Reads the Emails that are in no segment. */
export const unindexedEmails = ({ table, objects }: { readonly table: Table; readonly objects: Pick<Objects, 'get'> }) => {
  const remembered = new RememberedDocuments();
  return {
    /** Whether the document of the Email is in memory. */
    remembers: (accountId: string, id: string): boolean => remembered.get(`${accountId} ${id}`) !== undefined,
    /**
     * Reads the documents of these Emails.
     * @param withMessages whether to read body and header.
     * @param spend counts the octets before they are read.
     */
    async read(accountId: string, ids: readonly string[], withMessages: boolean, spend: SpendOctets): Promise<SearchDocument[]> {
      const known = ids.flatMap((id) => remembered.get(`${accountId} ${id}`) ?? []);
      const knownIds = new Set(known.map(({ emailId }) => emailId));
      const unknown = ids.filter((id) => !knownIds.has(id));
      // The view still has an Email that another Lambda destroys meanwhile. Without that Email, the results would not
      // be those of the view's state, and /queryChanges would add Emails in wrong places.
      const records = [...(await readEmailContents(table, accountId, unknown, { alsoDestroyed: true })).values()];
      if (!withMessages) return [...known, ...records.map((record) => searchDocument(record, undefined))];
      spend(records.reduce((sum, record) => sum + searchedOctets(record), 0));
      const documents = await documentsOfMessages(objects, accountId, records);
      for (const document of documents) remembered.add(`${accountId} ${document.emailId}`, document);
      return [...known, ...documents];
    },
  };
};
