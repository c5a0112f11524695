import { useEffect, useState } from 'react';
import { capability } from '../../contract/jmap/core.ts';
import type { ComposeRequest, OpenComposer } from '../context/composers.ts';
import { useMail, type MailAccount } from '../context/mail-context.ts';
import { callsIn, reasonOf } from '../jmap/requests.ts';
import type { Identity } from '../jmap/types.ts';
import { sendingMailboxes } from '../submissions/submissions.ts';
import { createCleaner, type Cleaner } from './cleaning-frame.ts';
import { createComposition, type Composition } from './composition.ts';
import { ownerOf, removeFromDevice } from './device-drafts.ts';
import type { DraftPart } from './draft.ts';
import { copiedPart, keptParts } from './kept-parts.ts';
import { createPeople, type People } from './people.ts';
import { AlreadySent, readIdentities, startDraft } from './start-draft.ts';

export type ComposerProps = { readonly open: OpenComposer; readonly request: ComposeRequest; readonly account: MailAccount };

/** The parts with which a composer begins. */
export type Begun = {
  readonly composition: Composition;
  readonly identities: readonly Identity[];
  readonly clean: Cleaner | undefined;
  readonly note: string | undefined;
  readonly people: People;
  /** Maximum seconds for which the server holds a message. */
  readonly maxSeconds: number;
};

/** Begins a composer: reads what a person sends with, and starts the draft of the request. */
export const useBegun = ({ open, request, account }: ComposerProps): Begun | Error | undefined => {
  const { session, requests, uploads, wait, composers, acts, isOwn } = useMail();
  const [begun, setBegun] = useState<Begun | Error | undefined>();
  useEffect(() => {
    let composition: Composition | undefined;
    let endTaking: (() => void) | undefined;
    let isCurrent = true;
    const begin = async (): Promise<void> => {
      const { id: accountId, store } = account;
      const [identities, clean, mailboxes] = await Promise.all([readIdentities(requests, accountId), createCleaner(), sendingMailboxes(store)]);
      const call = callsIn(requests, accountId);
      const { accountCapabilities = {} } = session.accounts[accountId] ?? {};
      const copyParts = async (parts: readonly DraftPart[]) => (capability.blob in accountCapabilities ? keptParts(call, parts) : parts);
      const started = await startDraft({ requests, account, mailboxes, copyParts, clean, identities, isOwn }, request);
      if (!isCurrent) return;
      const made = createComposition(
        {
          accountId,
          identities,
          ...mailboxes,
          uploads,
          acts,
          wait,
          call,
          copyPart: async (from, part) => (from === accountId ? (await copyParts([part]))[0]! : copiedPart(call, from, part)),
          owner: ownerOf(session),
          maxDelayedSend: account.maxDelayedSend,
          refresh: () => void store.refresh().catch(() => undefined),
          onEnd: () => composers.close(open.key),
          onSaved: (emailId) => composers.setSaved(open.key, emailId),
          reopen: (emailId) => composers.open(accountId, { kind: 'continue', emailId }),
        },
        started,
      );
      composition = made;
      endTaking = composers.takeFiles(open.key, (file) => made.attach(file));
      const people = createPeople({ requests, session, accountId, sentId: mailboxes.sentId, isOwn });
      void people.load();
      setBegun({ composition: made, identities, clean, note: started.note, people, maxSeconds: account.maxDelayedSend });
    };
    begin().catch((error: unknown) => {
      if (request.kind === 'restored' && error instanceof AlreadySent) {
        removeFromDevice(request.messageId);
        composers.close(open.key);
      } else if (isCurrent) setBegun(error instanceof Error ? error : new Error(reasonOf(error)));
    });
    return () => {
      isCurrent = false;
      endTaking?.();
      composition?.stop();
    };
  }, []);
  return begun;
};
