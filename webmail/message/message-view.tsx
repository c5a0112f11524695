import { useState } from 'react';
import { useLabels, useMail } from '../context/mail-context.ts';
import { go } from '../context/route.ts';
import { lazyPart } from '../dialogs/lazy-part.tsx';
import type { Email, EmailAddress, EmailBody } from '../jmap/types.ts';
import { LabelChips } from '../labels/label-chips.tsx';
import { isDisguised, longTime, personName, shortTime, shownAddress, words } from '../words/words.ts';
import { fileName } from './file-name.ts';
import { print } from './lazy-files.ts';
import { MessageBody } from './message-body.tsx';
import { saveFile } from './save-file.ts';
import { Unsubscribe } from './unsubscribe-button.tsx';
import { MoreWriteButtons, WriteButtons } from './write-buttons.tsx';

const SentStatus = lazyPart(async () => (await import('../submissions/sent-status.tsx')).SentStatus);

const People = ({ label, addresses }: { readonly label: string; readonly addresses: readonly EmailAddress[] | null }) =>
  addresses && addresses.length > 0 ? (
    <div>
      <dt>{label}</dt>
      <dd>
        {addresses.map((address, index) => (
          <span key={`${address.email} ${index}`}>
            {index > 0 && ', '}
            <bdi>{personName(address)}</bdi>{' '}
            {personName(address) !== shownAddress(address.email) && <bdi className="quiet">{`<${shownAddress(address.email)}>`}</bdi>}
          </span>
        ))}
      </dd>
    </div>
  ) : null;

export type MessageViewProps = { readonly email: Email; readonly body: EmailBody | undefined; readonly isOpen: boolean; readonly onToggle: () => void };

/** A message of a conversation: one line while it is closed. */
export const MessageView = ({ email, body, isOpen, onToggle }: MessageViewProps) => {
  const mail = useMail();
  const { account, download } = mail;
  const labels = useLabels();
  const isSent = account.maySend && account.store.mailboxes().some(({ id, role }) => role === 'sent' && email.mailboxIds[id]);
  const [hasDetails, setDetails] = useState(false);
  const [problem, setProblem] = useState('');
  const from = email.from?.[0];
  const name = from ? personName(from) : words.noSender;
  const save = (): void => {
    download({ blobId: email.blobId, name: 'message.eml' }).then(
      (blob) => saveFile(blob, `${fileName(email.subject)}.eml`),
      (error: Error) => setProblem(words.failed(error.message)),
    );
  };
  return (
    <article className={`message${isOpen ? ' is-open' : ''}`} aria-label={`${name}, ${shortTime(email.receivedAt)}`}>
      <header>
        <button type="button" className="message-head" aria-expanded={isOpen} onClick={onToggle}>
          <bdi className="people">{name}</bdi>
          {!isOpen && <span className="preview">{email.preview}</span>}
          <time dateTime={email.receivedAt}>{shortTime(email.receivedAt)}</time>
        </button>
        {isOpen && (
          <div className="message-details">
            {from && <bdi className="quiet">{shownAddress(from.email)}</bdi>} <LabelChips labels={labels.filter(({ keyword }) => email.keywords[keyword])} />
            {from && (
              <button
                type="button"
                className="plain"
                onClick={() => go({ accountId: account.pathId, mailboxId: undefined, search: `from:${from.email}`, threadId: undefined })}
              >
                {words.moreFrom}
              </button>
            )}
            <button type="button" className="plain" aria-expanded={hasDetails} onClick={() => setDetails(!hasDetails)}>
              {hasDetails ? words.hideDetails : words.details}
            </button>
            {body && <Unsubscribe email={email} body={body} />}
            {from && isDisguised(from) && (
              <p className="warning" role="note">
                {words.nameHidesAddress(shownAddress(from.email))}
              </p>
            )}
            {hasDetails && (
              <>
                <dl>
                  <People label={words.from} addresses={email.from} />
                  <People label={words.to} addresses={email.to} />
                  <People label={words.cc} addresses={body?.cc ?? null} />
                  <People label={words.bcc} addresses={body?.bcc ?? null} />
                  <div>
                    <dt>{words.date}</dt>
                    <dd>{longTime(body?.sentAt ?? email.receivedAt)}</dd>
                  </div>
                </dl>
                <button type="button" onClick={() => void print(mail, [email])}>
                  {words.print}
                </button>
                <button type="button" onClick={save}>
                  {words.source}
                </button>
                <MoreWriteButtons email={email} />
                {problem && <p role="alert">{problem}</p>}
              </>
            )}
          </div>
        )}
      </header>
      {isOpen && (body ? <MessageBody key={email.id} email={email} body={body} /> : <p className="quiet">{words.loading}</p>)}
      {isOpen && isSent && <SentStatus email={email} />}
      {isOpen && body && <WriteButtons email={email} />}
    </article>
  );
};
