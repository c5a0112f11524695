import { words } from '../words/words.ts';
import { ModalDialog } from './modal-dialog.tsx';

/** A question before something that can't be undone, with the words of the button that does it. */
export type Question = {
  readonly question: string;
  readonly yes: string;
  /** Whether it can be done. Where it can't, the question says why. Default: it can. */
  readonly isPossible?: boolean;
  readonly run: () => void;
};

/** Asks a question. The focus is on the button that does nothing. */
export const ConfirmDialog = ({ question, yes, isPossible = true, run, onClose }: Question & { readonly onClose: () => void }) => (
  <ModalDialog label={yes} onClose={onClose}>
    {(close) => (
      <>
        <p>{question}</p>
        <div className="buttons">
          <button type="button" autoFocus onClick={close}>
            {words.cancel}
          </button>
          <button
            type="button"
            className="danger"
            disabled={!isPossible}
            onClick={() => {
              close();
              run();
            }}
          >
            {yes}
          </button>
        </div>
      </>
    )}
  </ModalDialog>
);
