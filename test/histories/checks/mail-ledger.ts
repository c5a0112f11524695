import assert from 'node:assert/strict';
import type { Json } from '../../support/jmap-lambda.ts';
import type { AccountRead } from './account-read.ts';
import { isReport, numberOf } from './history-messages.ts';

/** The results that clients have received. A later read must contain all of them. */
export type KnownOutcomes = { readonly existing: ReadonlySet<string>; readonly destroyed: ReadonlySet<string>; readonly tags: ReadonlySet<string> };

const isTag = (keyword: string): boolean => keyword.startsWith('tag');

/**
 * Changes that requests attempted. An attempt may be withdrawn once, when its response says that the change was not
 * made.
 */
class Attempts {
  readonly #counts = new Map<string | number, number>();

  /** Records an attempt. @returns a function that withdraws it. */
  add(value: string | number): () => void {
    const change = (by: number) => this.#counts.set(value, (this.#counts.get(value) ?? 0) + by);
    change(1);
    return () => {
      change(-1);
    };
  }

  has(value: string | number): boolean {
    return (this.#counts.get(value) ?? 0) > 0;
  }

  some(matches: (value: string | number) => boolean): boolean {
    return [...this.#counts.keys()].some((value) => this.has(value) && matches(value));
  }
}

/**
 * The requests of an account's clients, with their responses. If the response was lost, the request may or may not have
 * had its effect. If the client received a successful response, the effect must exist.
 */
export class MailLedger {
  /** Numbers of the messages that clients or deliveries tried to add to the account. */
  readonly tried = new Attempts();
  /** Ids that a request tried to destroy. */
  readonly triedToDestroy = new Attempts();
  /** Emails that an admin tried to restore. */
  readonly triedToRestore = new Set<string>();
  /** Mailboxes that a request tried to destroy with their Emails. */
  readonly doomedMailboxes = new Attempts();
  /** Pairs of Email and Mailbox that requests tried to create, as `placement` names them. */
  readonly placed = new Attempts();
  /** Keywords that requests tried to add, and that no client removes, as `placement` names Email and keyword. */
  readonly triedTags = new Attempts();
  /** Names that requests tried to give to Mailboxes. */
  readonly triedNames = new Attempts();
  readonly #known = { existing: new Set<string>(), destroyed: new Set<string>(), tags: new Set<string>() };

  static readonly placement = (id: string, place: string): string => `${id} ${place}`;

  /** Records that a response named the Email or the Mailbox as created. */
  exists(id: string): void {
    this.#known.existing.add(id);
  }

  isDestroyed(id: string): void {
    this.#known.destroyed.add(id);
  }

  isTagged(id: string, tag: string): void {
    this.#known.tags.add(MailLedger.placement(id, tag));
  }

  known(): KnownOutcomes {
    const { existing, destroyed, tags } = this.#known;
    return { existing: new Set(existing), destroyed: new Set(destroyed), tags: new Set(tags) };
  }

  mayBeGone(id: string): boolean {
    return this.triedToDestroy.has(id) || this.doomedMailboxes.some((mailboxId) => this.placed.has(MailLedger.placement(id, String(mailboxId))));
  }

  /**
   * Checks a read.
   * @param before the known outcomes when the read began.
   * @throws AssertionError when mail is lost or duplicated, or a change is undone.
   */
  check({ emails, mailboxes }: AccountRead, before: KnownOutcomes): void {
    const found = new Map<string, Json>([...emails, ...mailboxes].map((record) => [record['id'] as string, record]));
    for (const id of before.existing) assert.ok(found.has(id) || this.mayBeGone(id), `${id} is lost`);
    for (const id of before.destroyed) assert.ok(!found.has(id) || this.triedToRestore.has(id), `${id} is back after it was destroyed`);
    for (const { name } of mailboxes.filter(({ role, name: each }) => role === null && (each as string).startsWith('box'))) {
      assert.ok(this.triedNames.has(name as string), `a Mailbox has a name that was refused: ${name}`);
    }
    // A message that a client added again exists twice when an admin restores the first one.
    const numbers = emails.filter((email) => !isReport(email) && !this.triedToRestore.has(email['id'] as string)).map(numberOf);
    for (const [index, number] of numbers.entries()) {
      assert.ok(this.tried.has(number), `nothing sent the message ${number} to the account`);
      assert.equal(numbers.indexOf(number), index, `the message ${number} is doubled`);
    }
    const tags = new Set(
      emails.flatMap(({ id, keywords }) =>
        Object.keys(keywords as object)
          .filter(isTag)
          .map((tag) => MailLedger.placement(id as string, tag)),
      ),
    );
    for (const tag of before.tags) assert.ok(tags.has(tag) || !found.has(tag.split(' ')[0]!), `an Email lost a keyword: ${tag}`);
    for (const tag of tags) assert.ok(this.triedTags.has(tag), `an Email has a keyword of nobody: ${tag}`);
  }
}
