import { useSyncExternalStore } from 'react';
import { useMail } from '../context/mail-context.ts';
import { lazyPart } from '../dialogs/lazy-part.tsx';

const Composer = lazyPart(async () => (await import('./composer.tsx')).Composer);
const RedirectDialog = lazyPart(async () => (await import('./redirect-dialog.tsx')).RedirectDialog);

/** The messages that are being written. They are outside of what is read, and remain while it changes. */
export const ComposerSlot = () => {
  const { accounts, composers } = useMail();
  const open = useSyncExternalStore(composers.subscribe, composers.all);
  if (open.length === 0) return null;
  return (
    <div className="composers">
      {open.map((each) => {
        const account = accounts.find(({ id }) => id === each.accountId);
        if (!account) return null;
        const { key, request } = each;
        return request.kind === 'redirect' ? (
          <RedirectDialog key={key} account={account} emailId={request.emailId} onClose={() => composers.close(key)} />
        ) : (
          <Composer key={key} open={each} request={request} account={account} />
        );
      })}
    </div>
  );
};
