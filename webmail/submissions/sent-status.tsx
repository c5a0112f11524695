import { useEffect, useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { callsIn, reasonOf } from '../jmap/requests.ts';
import type { Email } from '../jmap/types.ts';
import { submissionWords as words } from '../words/submission-words.ts';
import { longTime, shownAddress } from '../words/words.ts';
import { readSubmission, type Submission } from './submissions.ts';
import { useCancel } from './use-cancel.ts';

/** Maximum characters of a server's reply that are shown. */
const maxReply = 300;

/** Shows the outcome of a message that the person sent. A message that waits for its time can be taken back. */
export const SentStatus = ({ email }: { readonly email: Email }) => {
  const { account, requests, composers } = useMail();
  const [submission, setSubmission] = useState<Submission | undefined>();
  const { cancel, problem } = useCancel();
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      const found = await readSubmission(callsIn(requests, account.id), email.id);
      if (isCurrent) setSubmission(found);
    };
    // Nothing depends on it: without an answer the message is as it was.
    read().catch(reasonOf);
    return () => {
      isCurrent = false;
    };
  }, [requests, account, email]);
  if (!submission) return null;
  if (submission.undoStatus === 'pending') {
    return (
      <p className="note" role="status">
        {words.willBeSent(longTime(submission.sendAt))}{' '}
        <button type="button" onClick={() => void cancel(submission)}>
          {words.change}
        </button>
        {problem && <span role="alert">{problem}</span>}
      </p>
    );
  }
  const all = Object.entries(submission.deliveryStatus ?? {});
  const failed = all.filter(([, { delivered }]) => delivered === 'no');
  const isDelivered = all.length > 0 && all.every(([, { delivered }]) => delivered === 'yes');
  if (failed.length === 0) return <p className="quiet sent-status">{isDelivered ? words.delivered : words.onItsWay}</p>;
  return (
    <div className="warning" role="note">
      <ul>
        {failed.map(([address, { smtpReply }]) => (
          <li key={address}>
            {words.notDelivered} <bdi>{shownAddress(address)}</bdi>: <bdi>{smtpReply.slice(0, maxReply)}</bdi>
          </li>
        ))}
      </ul>
      {account.maySend && (
        <button type="button" onClick={() => composers.open(account.id, { kind: 'editAsNew', emailId: email.id, to: failed.map(([address]) => address) })}>
          {words.writeAgain}
        </button>
      )}
    </div>
  );
};
