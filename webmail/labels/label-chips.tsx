import type { Label } from './label.ts';

/** Labels as a row or a message shows them. */
export const LabelChips = ({ labels }: { readonly labels: readonly Label[] }) => (
  <>
    {labels.map(({ keyword, name, colour }) => (
      <bdi key={keyword} className={`label is-${colour}`}>
        {name}
      </bdi>
    ))}
  </>
);
