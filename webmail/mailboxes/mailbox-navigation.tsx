import type { DragEvent, MouseEvent } from 'react';
import { useAllStores, useMail, type MailAccount } from '../context/mail-context.ts';
import { pathOf } from '../context/route.ts';
import type { Id, Mailbox } from '../jmap/types.ts';
import { octets, words } from '../words/words.ts';
import { mailboxName, mailboxTree } from './mailbox-tree.ts';

export type MailboxNavigationProps = {
  /** The mailbox that is shown, in the account that is shown. */
  readonly current: Id | undefined;
  readonly onChoose: (mailboxId: Id, accountId: Id | undefined) => void;
  /** Whether the messages that are dragged may be dropped on a mailbox. */
  readonly mayDrop: (mailbox: Mailbox, account: MailAccount) => boolean;
  readonly onDrop: (mailbox: Mailbox, account: MailAccount) => void;
};

type AccountProps = MailboxNavigationProps & { readonly account: MailAccount };

const AccountMailboxes = ({ account, current, onChoose, mayDrop, onDrop }: AccountProps) => {
  const accountId = account.isFirst ? undefined : account.id;
  const listeners = (mailbox: Mailbox) => ({
    onClick(event: MouseEvent) {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      onChoose(mailbox.id, accountId);
    },
    onDragOver(event: DragEvent<HTMLElement>) {
      if (!mayDrop(mailbox, account)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
      event.currentTarget.classList.add('is-target');
    },
    onDragLeave: ({ currentTarget }: DragEvent<HTMLElement>) => currentTarget.classList.remove('is-target'),
    onDrop(event: DragEvent<HTMLElement>) {
      event.preventDefault();
      event.currentTarget.classList.remove('is-target');
      if (mayDrop(mailbox, account)) onDrop(mailbox, account);
    },
  });
  return (
    <ul>
      {mailboxTree(account.store.mailboxes()).map(({ mailbox, depth }) => (
        <li key={mailbox.id} style={{ paddingInlineStart: `${Math.min(depth, 8)}rem` }}>
          <a
            href={pathOf({ accountId, mailboxId: mailbox.id, threadId: undefined })}
            aria-current={mailbox.id === current ? 'page' : undefined}
            draggable={false}
            {...listeners(mailbox)}
          >
            <bdi>{mailboxName(mailbox)}</bdi>
            {mailbox.unreadEmails > 0 && (
              <>
                <span className="count" aria-hidden="true">
                  {mailbox.unreadEmails}
                </span>
                <span className="visually-hidden">, {words.unread(mailbox.unreadEmails)}</span>
              </>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
};

/** The mailboxes of all accounts with their unread messages. */
export const MailboxNavigation = (props: MailboxNavigationProps) => {
  const { accounts, account: shown, storage } = useMail();
  useAllStores();
  return (
    <nav aria-label={words.mailboxes} className="mailboxes">
      {accounts.map((account) => (
        <section key={account.id}>
          {accounts.length > 1 && (
            <h2>
              <bdi>{account.name}</bdi>
            </h2>
          )}
          <AccountMailboxes {...props} account={account} current={account === shown ? props.current : undefined} />
        </section>
      ))}
      {storage && (
        <p className="storage quiet">
          <meter aria-hidden="true" max={storage.hardLimit} high={0.9 * storage.hardLimit} value={storage.used} />
          {words.storage(octets(storage.used), octets(storage.hardLimit))}
        </p>
      )}
    </nav>
  );
};
