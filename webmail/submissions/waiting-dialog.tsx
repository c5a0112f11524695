import { useEffect, useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { callsIn, reasonOf } from '../jmap/requests.ts';
import { submissionWords as words } from '../words/submission-words.ts';
import { longTime, personName, words as appWords } from '../words/words.ts';
import { readWaiting, type Waiting } from './submissions.ts';
import { useCancel } from './use-cancel.ts';

/** The messages that wait for their time. Each can be changed, or be a draft again. */
export const WaitingDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { account, requests } = useMail();
  const [waiting, setWaiting] = useState<readonly Waiting[] | undefined>();
  const [failure, setFailure] = useState('');
  const { cancel, problem } = useCancel();
  useEffect(() => {
    readWaiting(callsIn(requests, account.id)).then(setWaiting, (error: unknown) => setFailure(appWords.failed(reasonOf(error))));
  }, [requests, account]);
  return (
    <ModalDialog label={words.waiting} onClose={onClose}>
      {(close) => (
        <>
          <h2>{words.waiting}</h2>
          {(failure || problem) && <p role="alert">{failure || problem}</p>}
          {!waiting && !failure && <p className="quiet">{appWords.loading}</p>}
          {waiting?.length === 0 && <p className="quiet">{words.nothingWaits}</p>}
          <ul className="waiting">
            {waiting?.map((each) => (
              <li key={each.id}>
                <bdi>{each.subject || appWords.noSubject}</bdi> <bdi className="quiet">{(each.to ?? []).map(personName).join(', ')}</bdi>{' '}
                <time dateTime={each.sendAt}>{longTime(each.sendAt)}</time>{' '}
                <button
                  type="button"
                  onClick={() => {
                    void cancel(each).then((isDone) => isDone && close());
                  }}
                >
                  {words.change}
                </button>
                <button
                  type="button"
                  onClick={() => {
                    void cancel(each, false).then((isDone) => isDone && setWaiting(waiting.filter(({ id }) => id !== each.id)));
                  }}
                >
                  {words.cancelSending}
                </button>
              </li>
            ))}
          </ul>
          <div className="buttons">
            <button type="button" onClick={close}>
              {appWords.close}
            </button>
          </div>
        </>
      )}
    </ModalDialog>
  );
};
