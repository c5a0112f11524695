import { useEffect, useRef, useState } from 'react';
import { useMail, type MailAccount } from '../context/mail-context.ts';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { callsIn, reasonOf } from '../jmap/requests.ts';
import type { EmailAddress, Id, Identity } from '../jmap/types.ts';
import { sendingMailboxes, type SendingMailboxes } from '../submissions/submissions.ts';
import { composerWords as words } from '../words/composer-words.ts';
import { words as appWords } from '../words/words.ts';
import { AddressField } from './address-field.tsx';
import './composer.css';
import { formatAddress } from './addresses.ts';
import { newMessageId } from './draft-email.ts';
import type { Draft } from './draft.ts';
import { createPeople, type People } from './people.ts';
import { redirectedFrom, redirectedMessage } from './redirect.ts';
import { draftStart, threadOf } from './reply.ts';
import { holdFor, NotSent, recipientsProblem, sendDraft, sendingProblem, undoSending, type SendDependencies } from './send-draft.ts';
import { emptyDraft, readIdentities, readWhole, type Read } from './start-draft.ts';

/** A message that is sent on as it is, and what it takes to send it. */
type Begun = Read & { readonly identity: Identity; readonly mailboxes: SendingMailboxes; readonly people: People };
type Props = { readonly account: MailAccount; readonly emailId: Id };

const useRedirectable = ({ account, emailId }: Props) => {
  const { session, requests, isOwn } = useMail();
  const [begun, setBegun] = useState<Begun | undefined>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const begin = async (): Promise<void> => {
      const [identities, read, mailboxes] = await Promise.all([
        readIdentities(requests, account.id),
        readWhole({ requests, account }, emailId),
        sendingMailboxes(account.store),
      ]);
      const { identityId } = draftStart('forward', { ...read, identities, isOwn, html: undefined });
      const identity = identities.find(({ id }) => id === identityId);
      if (!identity) throw new Error(words.noIdentity);
      const people = createPeople({ requests, session, accountId: account.id, sentId: mailboxes.sentId, isOwn });
      void people.load();
      setBegun({ ...read, identity, mailboxes, people });
    };
    begin().catch((error: unknown) => setProblem(words.cannotOpen(reasonOf(error))));
  }, []);
  return { begun, problem };
};

/** Sends a message on. It can be undone as any message. */
const useRedirect = ({ account, emailId }: Props) => {
  const { requests, uploads, download, acts } = useMail();
  return async ({ email, body, identity, mailboxes }: Begun, to: readonly EmailAddress[]): Promise<void> => {
    const call = callsIn(requests, account.id);
    const { references } = threadOf(body);
    const messageId = newMessageId(identity.email);
    const original = await download({ blobId: email.blobId, name: null });
    const file = await redirectedMessage(original, { author: email.from?.[0], identity, to, messageId, references });
    const { blobId } = await uploads.upload({ accountId: account.id, file, type: 'message/rfc822' });
    const dependencies: SendDependencies = {
      call,
      ...mailboxes,
      create: (_, destroy) => {
        if (destroy.length > 0) void call('Email/set', { destroy }).result.catch(reasonOf);
        const message = { blobId, mailboxIds: { [mailboxes.draftsId]: true }, keywords: { $draft: true, $seen: true } };
        return call('Email/import', { emails: { message } });
      },
    };
    const draft: Draft = { ...emptyDraft(identity), messageId, to, original: { emailId, use: 'forward' } };
    const destroy = (id: Id) => call('Email/set', { destroy: [id] }).result;
    const refresh = (): void => void account.store.refresh().catch(reasonOf);
    const seconds = account.maxDelayedSend >= holdFor ? holdFor : 0;
    try {
      const sent = await sendDraft(dependencies, draft, identity, { saved: undefined, seconds });
      const undo = async (): Promise<void> => {
        await undoSending(dependencies, sent, draft);
        await destroy(sent.emailId);
        refresh();
      };
      acts.done(words.sent, seconds > 0 ? undo : undefined);
    } catch (error) {
      // The message was made to be sent only. It is no draft of the person.
      if (error instanceof NotSent && error.saved) await destroy(error.saved.emailId).catch(reasonOf);
      throw error;
    } finally {
      refresh();
    }
  };
};

/** Asks to whom a message is sent on, as it is: its replies go to its author. */
export const RedirectDialog = ({ account, emailId, onClose }: Props & { readonly onClose: () => void }) => {
  const { begun, problem: notBegun } = useRedirectable({ account, emailId });
  const redirect = useRedirect({ account, emailId });
  const { acts } = useMail();
  const isClosed = useRef(false);
  useEffect(() => () => void (isClosed.current = true), []);
  const [to, setTo] = useState<readonly EmailAddress[]>([]);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const send = async (close: () => void): Promise<void> => {
    if (!begun || isSending) return;
    const against = recipientsProblem(to);
    setProblem(against ?? '');
    if (against !== undefined) return;
    setSending(true);
    try {
      await redirect(begun, to);
      close();
    } catch (error) {
      setSending(false);
      const refusal = sendingProblem(error);
      setProblems(refusal.problems);
      setProblem(refusal.problem);
      // A dialog that was closed meanwhile shows nothing.
      if (isClosed.current) acts.done(refusal.problem);
    }
  };
  return (
    <ModalDialog label={appWords.redirect} className="redirect" onClose={onClose}>
      {(close) => (
        <>
          <h2>{appWords.redirect}</h2>
          {begun && (
            <div inert={isSending}>
              <p>{words.redirectedFrom(formatAddress(redirectedFrom(begun.email.from?.[0], begun.identity)))}</p>
              <AddressField
                label={words.to}
                addresses={to}
                onChange={(addresses) => {
                  setTo(addresses);
                  setProblem('');
                }}
                people={begun.people}
                problems={problems}
                autoFocus
              />
            </div>
          )}
          {(problem || notBegun) && (
            <p role="alert" className="warning">
              {problem || notBegun}
            </p>
          )}
          <div className="buttons">
            <button type="button" onClick={close}>
              {appWords.cancel}
            </button>
            <button type="button" className="primary" disabled={!begun || isSending} onClick={() => void send(close)}>
              {isSending ? words.sending : words.send}
            </button>
          </div>
        </>
      )}
    </ModalDialog>
  );
};
