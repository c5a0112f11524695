import type { Outcome } from './use-setting.ts';

/** Says what became of an attempt to save. */
export const OutcomeLine = ({ outcome }: { readonly outcome: Outcome | undefined }) => (
  <>
    <p role="status" className="outcome">
      {outcome?.isSaved && outcome.text}
    </p>
    {outcome && !outcome.isSaved && (
      <p role="alert" className="warning">
        {outcome.text}
      </p>
    )}
  </>
);
