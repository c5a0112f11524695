import { useEffect, useMemo, useRef, useState } from 'react';
import { capability } from '../../contract/jmap/core.ts';
import { useMail } from '../context/mail-context.ts';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { reasonOf, ResponseLost } from '../jmap/requests.ts';
import type { Email, EmailBody, Identity } from '../jmap/types.ts';
import { shownAddress, words } from '../words/words.ts';
import { receivingIdentity, sendUnsubscribe } from './send-unsubscribe.ts';
import { canSendRequests, requestUnsubscribe } from './unsubscribe-frame.ts';
import { unsubscribeWays, type UnsubscribeMail } from './unsubscribe.ts';

/** A message that asks to unsubscribe, as it will be sent. */
const MailPreview = ({ from, mail }: { readonly from: string; readonly mail: UnsubscribeMail }) => (
  <>
    <p>{words.messageWillBeSent}</p>
    <dl>
      {[
        [words.from, from],
        [words.to, shownAddress(mail.to)],
        [words.subject, mail.subject],
        [words.text, mail.text],
      ].map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  </>
);

type Progress = { readonly text: string; readonly isOver: boolean };

/** Lets a person unsubscribe from a mailing list: by a request, by a message, or by the sender's page. */
export const Unsubscribe = ({ email, body }: { readonly email: Email; readonly body: EmailBody }) => {
  const { session, account, requests } = useMail();
  const ways = useMemo(() => unsubscribeWays(body), [body]);
  const [isOneClickSafe, setOneClickSafe] = useState<boolean | undefined>();
  const status = useRef<HTMLSpanElement>(null);
  const [isAsking, setAsking] = useState(false);
  const [identity, setIdentity] = useState<Identity | undefined>();
  const [progress, setProgress] = useState<Progress>({ text: '', isOver: false });
  useEffect(() => {
    if (ways.oneClick) void canSendRequests().then(setOneClickSafe);
  }, [ways]);
  if (ways.oneClick && isOneClickSafe === undefined) return null;

  const oneClick = isOneClickSafe ? ways.oneClick : undefined;
  const link = ways.link ?? ways.oneClick;
  const sentId = account.store.mailboxes().find(({ role }) => role === 'sent')?.id;
  const maySend = !account.isReadOnly && capability.submission in (session.accounts[account.id]?.accountCapabilities ?? {});
  const mail = maySend && sentId !== undefined && !oneClick ? ways.mail : undefined;

  const say = (text: string, isOver = false): void => setProgress({ text, isOver });
  const ask = async (): Promise<void> => {
    if (mail) {
      try {
        const found = await receivingIdentity(requests, account.id, [...(email.to ?? []), ...(body.cc ?? [])]);
        if (!found) return say(words.noIdentity);
        setIdentity(found);
      } catch (error) {
        return say(words.failed(reasonOf(error)));
      }
    }
    return setAsking(true);
  };
  const send = async (): Promise<void> => {
    if (oneClick) {
      const { hostname } = oneClick;
      say(words.sendingRequest(hostname), true);
      const isAnswered = await requestUnsubscribe(oneClick);
      say(isAnswered ? words.requestSent(hostname) : words.requestFailed(hostname), isAnswered);
    } else if (mail && identity && sentId !== undefined) {
      say(words.sendingMessage, true);
      try {
        await sendUnsubscribe(requests, { accountId: account.id, sentId, identity, mail });
        say(words.messageSent, true);
      } catch (error) {
        const isUnknown = error instanceof ResponseLost;
        say(isUnknown ? words.maybeSent : words.notSent(reasonOf(error)), isUnknown);
      }
    }
  };

  return (
    <>
      {!progress.isOver && (oneClick ?? mail) && (
        <button type="button" className="plain" onClick={() => void ask()}>
          {words.unsubscribe}
        </button>
      )}
      {!oneClick && !mail && link && (
        <a href={link.href} target="_blank" rel="noopener noreferrer">
          {words.unsubscribeAt(link.hostname)}
        </a>
      )}
      <span ref={status} role="status" tabIndex={-1} className="quiet">
        {progress.text}
      </span>
      {isAsking && (
        <ModalDialog label={words.unsubscribe} onClose={() => setAsking(false)}>
          {(close) => (
            <>
              <h2>{words.unsubscribe}</h2>
              {oneClick && <p>{words.requestWillBeSent(oneClick.hostname)}</p>}
              {!oneClick && mail && identity && <MailPreview from={identity.email} mail={mail} />}
              <div className="buttons">
                <button
                  type="button"
                  onClick={() => {
                    close();
                    // The button that had the focus goes.
                    status.current?.focus();
                    void send();
                  }}
                >
                  {words.unsubscribe}
                </button>
                <button type="button" onClick={close}>
                  {words.cancel}
                </button>
              </div>
            </>
          )}
        </ModalDialog>
      )}
    </>
  );
};
