import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import { words } from '../../words/words.ts';

/** A value with a button that copies it. The name of the value is for screen readers. */
export const Copyable = ({ value, name }: { readonly value: string; readonly name: string }) => (
  <CopyToClipboard
    variant="inline" textToCopy={value} copyButtonAriaLabel={`${words.copy.action} ${name}`}
    copySuccessText={words.copy.done} copyErrorText={words.copy.failed}
  />
);
