import type { Said } from '../context/acts.ts';
import { words } from '../words/words.ts';

/** Shows the last words to the person, with the button that undoes the act, or stops it. */
export const SaidBar = ({ text, undo, progress }: Said) => (
  <div className="said" role="status" aria-live="polite">
    {text}
    {progress && (
      <>
        <progress aria-label={text} max={progress.total} value={progress.done} />
        <button type="button" onClick={progress.stop}>
          {words.stop}
        </button>
      </>
    )}
    {undo && (
      <button type="button" onClick={undo}>
        {words.undo}
      </button>
    )}
  </div>
);
