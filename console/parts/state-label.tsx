import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { stateWords, type StateKind } from '../words/states.ts';

/** A state of the specification in words, with its colour. An unknown state is shown as it is. */
export const StateLabel = ({ kind, state }: { readonly kind: StateKind; readonly state: string }) => {
  const found = stateWords(kind, state);
  return <StatusIndicator type={found?.look ?? 'info'}>{found?.label ?? state}</StatusIndicator>;
};
