import { useState, useSyncExternalStore, type DragEvent, type MouseEvent } from 'react';
import { useAllStores, useMail, type MailAccount } from '../context/mail-context.ts';
import { go, pathOf, staysHere } from '../context/route.ts';
import { lazyPart } from '../dialogs/lazy-part.tsx';
import type { Id, Mailbox } from '../jmap/types.ts';
import { isSettingsMailbox } from '../labels/label.ts';
import { submissionWords } from '../words/submission-words.ts';
import { octets, words } from '../words/words.ts';
import { MailboxForm } from './mailbox-form.tsx';
import { MailboxMenu } from './mailbox-menu.tsx';
import { mailboxName, mailboxTree } from './mailbox-tree.ts';

const WaitingDialog = lazyPart(async () => (await import('../submissions/waiting-dialog.tsx')).WaitingDialog);

export type MailboxNavigationProps = {
  /** The mailbox that is shown, in the account that is shown. */
  readonly current: Id | undefined;
  readonly onChoose: (mailboxId: Id, accountId: Id | undefined) => void;
  /** Whether the messages that are dragged may be dropped on a mailbox. */
  readonly mayDrop: (mailbox: Mailbox, account: MailAccount) => boolean;
  readonly onDrop: (mailbox: Mailbox, account: MailAccount) => void;
  /** Is called when a mailbox is about to be removed. */
  readonly onRemoved: (mailboxId: Id) => void;
};

type AccountProps = MailboxNavigationProps & { readonly account: MailAccount };

const AccountMailboxes = ({ account, current, onChoose, mayDrop, onDrop, onRemoved }: AccountProps) => {
  const [isAll, setAll] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const accountId = account.pathId;
  const listeners = (mailbox: Mailbox) => ({
    onClick(event: MouseEvent) {
      if (!staysHere(event)) return;
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
  const mailboxes = account.store.mailboxes();
  const isShown = ({ isSubscribed, role, id }: Mailbox): boolean => isAll || isSubscribed || role !== null || id === current;
  const hidden = mailboxes.filter((mailbox) => !mailbox.isSubscribed && mailbox.role === null && !isSettingsMailbox(mailbox)).length;
  const mayAdd = !account.isReadOnly && mailboxes.some(({ myRights }) => myRights.mayCreateChild);
  return (
    <>
      <ul>
        {mailboxTree(mailboxes.filter(isShown)).map(({ mailbox, depth }) => (
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
            <MailboxMenu account={account} mailbox={mailbox} onRemoved={onRemoved} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" className="plain" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {words.hiddenMailboxes(hidden)}
        </button>
      )}
      {mayAdd && (
        <button type="button" className="plain" onClick={() => setAdding(true)}>
          {words.newMailbox}
        </button>
      )}
      <LabelLinks account={account} />
      {isAdding && <MailboxForm store={account.store} mailbox={undefined} parentId={null} onClose={() => setAdding(false)} />}
    </>
  );
};

/** The labels of an account: each is a search. */
const LabelLinks = ({ account: { labels, pathId } }: { readonly account: MailAccount }) => {
  const all = useSyncExternalStore(labels.subscribe, labels.all);
  if (all.length === 0) return null;
  return (
    <ul aria-label={words.labels}>
      {all.map(({ keyword, name, colour }) => {
        const route = { accountId: pathId, mailboxId: undefined, search: `label:${keyword}`, threadId: undefined };
        return (
          <li key={keyword}>
            <a
              href={pathOf(route)}
              onClick={(event) => {
                if (!staysHere(event)) return;
                event.preventDefault();
                go(route);
              }}
            >
              <bdi className={`label is-${colour}`}>{name}</bdi>
            </a>
          </li>
        );
      })}
    </ul>
  );
};

/** The mailboxes of all accounts with their unread messages. */
export const MailboxNavigation = (props: MailboxNavigationProps) => {
  const { accounts, account: shown, storage } = useMail();
  useAllStores();
  const [isWaiting, setWaiting] = useState(false);
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
      {shown.maxDelayedSend > 0 && (
        <button type="button" className="plain" onClick={() => setWaiting(true)}>
          {submissionWords.waiting}
        </button>
      )}
      {isWaiting && <WaitingDialog onClose={() => setWaiting(false)} />}
      {storage && (
        <p className="storage quiet">
          <meter aria-hidden="true" max={storage.hardLimit} high={0.9 * storage.hardLimit} value={storage.used} />
          {words.storage(octets(storage.used), octets(storage.hardLimit))}
        </p>
      )}
    </nav>
  );
};
