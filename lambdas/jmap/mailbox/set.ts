import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { mailbox } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { changedSubscriptions, withSubscription } from '../../../core/account-log/records/member-subscriptions.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import type { EmailRow } from '../../../core/mail/email/email-content.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailboxesOf, type MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import { checkDestroyedMailbox, checkMailbox } from '../../../core/mail/mailbox/mailbox-rules.ts';
import { MailboxTree } from '../../../core/mail/mailbox/mailbox-tree.ts';
import type { AccountChangeSet, BehaviourOf } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import { toMailbox } from './get.ts';
import { mayChangeMail } from './mailbox-rights.ts';

const isSameMailbox = (one: MailboxRecord, other: MailboxRecord) =>
  one.name === other.name &&
  one.parentId === other.parentId &&
  one.role === other.role &&
  one.sortOrder === other.sortOrder &&
  changedSubscriptions(one, other).length === 0;

/** Calls the function. @returns its value or its error. */
const attempt = <Value>(compute: () => Value): { readonly value?: Value; readonly failure?: unknown } => {
  try {
    return { value: compute() };
  } catch (failure) {
    return { failure };
  }
};

/**
 * The changes of a Mailbox/set (RFC 8621 §2.5).
 * @param onDestroyRemoveEmails removes the Emails of a destroyed Mailbox from it, and destroys the Emails in no other
 * Mailbox.
 * @param member the caller, to whose subscription `isSubscribed` refers. The owner is subscribed to the Mailboxes that
 * others create.
 * @param toMailbox adds the computed properties of a Mailbox.
 */
const mailboxChangeSet = (
  view: AccountView,
  onDestroyRemoveEmails: boolean,
  member: MemberKey,
  toMailbox: (record: MailboxRecord) => JsonObject,
): AccountChangeSet<typeof mailbox> => {
  let tree = new MailboxTree(mailboxesOf(view).all());
  const rows = new Map<string, EmailRow>();
  const destroyedEmails = new Set<string>();
  let destroyedMailboxes: readonly string[] = [];
  /** Checks to run after a group of changes. Undefined outside of a group. */
  let deferred: (() => void)[] | undefined;
  const check = (rule: () => void) => {
    if (deferred) deferred.push(rule);
    else rule();
  };
  const put = (record: MailboxRecord, before: MailboxRecord | undefined) => {
    check(() => checkMailbox(tree, record, before));
    // A commit writes Mailboxes in this order, so each of its transactions leaves a valid tree.
    if (mailboxesOf(view).has(record.id)) tree.remove(record.id);
    tree.put(record);
  };
  const emailsIn = (mailboxId: string) =>
    [...emailsOf(view).query({ inMailbox: mailboxId }, [])]
      .map((emailId) => rows.get(emailId) ?? emailsOf(view).get(emailId)!)
      .filter((row) => !destroyedEmails.has(row.id));
  const removeFromMailbox = (emails: readonly EmailRow[], mailboxId: string) => {
    for (const row of emails) {
      const mailboxIds = row.mailboxIds.filter((id) => id !== mailboxId);
      if (mailboxIds.length > 0) rows.set(row.id, { ...row, mailboxIds });
      else destroyedEmails.add(row.id);
    }
  };

  return {
    current: (id) => {
      const record = tree.get(id);
      return record && toMailbox(record);
    },
    create: (id, properties) => {
      if (tree.size >= unadvertisedLimits.maxMailboxes) {
        throw new SetError('overQuota', `An account may have at most ${unadvertisedLimits.maxMailboxes} mailboxes (maxMailboxes).`);
      }
      const { isSubscribed, ...rest } = properties;
      const record = { ...rest, name: rest.name.normalize('NFC'), isSubscribed: true, id };
      put(withSubscription(record, member, isSubscribed), undefined);
    },
    update: (id, { isSubscribed, ...changed }) => {
      const before = tree.get(id)!;
      const after: MailboxRecord = { ...before, ...changed };
      const record = isSubscribed === undefined ? after : withSubscription(after, member, isSubscribed);
      put({ ...record, name: record.name.normalize('NFC') }, before);
    },
    destroy: (id) => {
      const record = tree.get(id)!;
      const isStored = mailboxesOf(view).has(id);
      const hasEmail = isStored && emailsOf(view).counters(id).totalEmails > 0;
      check(() => checkDestroyedMailbox(tree, record, hasEmail && !onDestroyRemoveEmails));
      tree.remove(id);
      if (isStored) destroyedMailboxes = [...destroyedMailboxes, id];
    },
    together: (changes) => {
      const before = { tree: tree.copy(), destroyedMailboxes };
      const checks = changes.map((change) =>
        attempt(() => {
          deferred = [];
          change();
          return deferred;
        }),
      );
      deferred = undefined;
      const failures = new Map(
        checks.flatMap(({ value = [], failure }, index) => {
          const problem = failure ?? attempt(() => value.forEach((rule) => rule())).failure;
          return problem === undefined ? [] : [[index, problem] as const];
        }),
      );
      if (failures.size > 0) ({ tree, destroyedMailboxes } = before);
      return failures;
    },
    commit: () => {
      for (const id of destroyedMailboxes) removeFromMailbox(emailsIn(id), id);
      const putMailboxes = tree.all().filter((record) => {
        const before = mailboxesOf(view).get(record.id);
        return !before || !isSameMailbox(before, record);
      });
      if (putMailboxes.length + destroyedMailboxes.length === 0) return undefined;
      return {
        records: {
          Mailbox: { put: putMailboxes, destroy: destroyedMailboxes },
          Email: { put: [...rows.values()].filter(({ id }) => !destroyedEmails.has(id)), destroy: [...destroyedEmails] },
        },
      };
    },
  };
};

/** Mailbox/set (RFC 8621 §2.5). */
export const mailboxSet: BehaviourOf<typeof mailbox>['set'] = {
  prepareChangeSet: (_updatedProperties, { onDestroyRemoveEmails }, account, context) =>
    Promise.resolve({
      beginChangeSet: (view) =>
        mailboxChangeSet(view, onDestroyRemoveEmails, account.member, (record) => toMailbox(view, record, account.member, mayChangeMail(account, context))),
    }),
};
