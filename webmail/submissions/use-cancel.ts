import { useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { callsIn, reasonOf } from '../jmap/requests.ts';
import { submissionWords as words } from '../words/submission-words.ts';
import { cancelSending, sendingMailboxes, type Submission } from './submissions.ts';

/** Takes back a message that waits, and opens it to be changed. */
export const useCancel = () => {
  const { account, requests, composers } = useMail();
  const [problem, setProblem] = useState('');
  const cancel = async ({ id, emailId }: Pick<Submission, 'id' | 'emailId'>, isOpened = true): Promise<boolean> => {
    try {
      await cancelSending({ call: callsIn(requests, account.id), ...(await sendingMailboxes(account.store)) }, id);
      if (isOpened) composers.open(account.id, { kind: 'continue', emailId });
      void account.store.refresh().catch(reasonOf);
      return true;
    } catch (error) {
      setProblem(words.notCanceled(reasonOf(error)));
      return false;
    }
  };
  return { cancel, problem };
};
