import { useSyncExternalStore } from 'react';
import { useMail } from '../context/mail-context.ts';
import type { Email } from '../jmap/types.ts';
import { words } from '../words/words.ts';

const kinds = ['reply', 'replyAll', 'forward'] as const;

/** Buttons below a message that answer it or pass it on. A draft is written on. */
export const WriteButtons = ({ email }: { readonly email: Email }) => {
  const { account, composers } = useMail();
  if (!account.maySend) return null;
  const shown = email.keywords['$draft'] ? (['continue'] as const) : kinds;
  return (
    <p className="write-buttons">
      {shown.map((kind) => (
        <button key={kind} type="button" onClick={() => composers.open(account.id, { kind, emailId: email.id })}>
          {words[kind]}
        </button>
      ))}
    </p>
  );
};

/** Less usual ways to write from a message, among its details. */
export const MoreWriteButtons = ({ email }: { readonly email: Email }) => {
  const { account, composers } = useMail();
  const takesFiles = useSyncExternalStore(composers.subscribe, composers.takesFiles);
  if (!account.maySend || email.keywords['$draft']) return null;
  return (
    <>
      {(['forwardAsAttachment', 'redirect', 'editAsNew'] as const).map((kind) => (
        <button key={kind} type="button" onClick={() => composers.open(account.id, { kind, emailId: email.id })}>
          {words[kind]}
        </button>
      ))}
      {takesFiles && (
        <button type="button" onClick={() => composers.attach({ accountId: account.id, email })}>
          {words.attach}
        </button>
      )}
    </>
  );
};
