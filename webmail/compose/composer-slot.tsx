import { lazy, Suspense, useSyncExternalStore } from 'react';
import { useMail } from '../context/mail-context.ts';

const Composer = lazy(async () => ({ default: (await import('./composer.tsx')).Composer }));

/** The messages that are being written. They are outside of what is read, and remain while it changes. */
export const ComposerSlot = () => {
  const { accounts, composers } = useMail();
  const open = useSyncExternalStore(composers.subscribe, composers.all);
  if (open.length === 0) return null;
  return (
    <div className="composers">
      {open.map((each) => {
        const account = accounts.find(({ id }) => id === each.accountId);
        return (
          account && (
            <Suspense key={each.key} fallback={null}>
              <Composer open={each} account={account} />
            </Suspense>
          )
        );
      })}
    </div>
  );
};
