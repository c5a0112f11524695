import { Box, CopyToClipboard, StatusIndicator } from '@cloudscape-design/components';
import { stateWords, type StateKind } from '../../words/states.ts';
import { words } from '../../words/words.ts';

export const YesNo = ({ value }: { readonly value: boolean }) => <>{value ? words.form.yes : words.form.no}</>;

/** A value with a button that copies it. The name of the value is for screen readers. */
export const Copyable = ({ value, name }: { readonly value: string; readonly name: string }) => (
  <CopyToClipboard
    variant="inline"
    textToCopy={value}
    copyButtonAriaLabel={`${words.copy.action} ${name}`}
    copySuccessText={words.copy.done}
    copyErrorText={words.copy.failed}
  />
);

/** A state of the specification in words, with its colour. An unknown state is shown unchanged. */
export const StateLabel = ({ kind, state }: { readonly kind: StateKind; readonly state: string }) => {
  const found = stateWords(kind, state);
  return <StatusIndicator type={found?.look ?? 'info'}>{found?.label ?? state}</StatusIndicator>;
};

/** The meaning of a state, and the next step for a person. */
export const StateExplanation = ({ kind, state }: { readonly kind: StateKind; readonly state: string }) => {
  const found = stateWords(kind, state);
  return (
    <Box>
      {found?.sentence}
      {found?.nextStep && <Box color="text-body-secondary">{found.nextStep}</Box>}
    </Box>
  );
};
