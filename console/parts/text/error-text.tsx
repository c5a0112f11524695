import { Alert, Box, Button, CopyToClipboard, SpaceBetween } from '@cloudscape-design/components';
import { shownError, type ShownError } from '../../api/errors.ts';
import { words } from '../../words/words.ts';
import { PlainText } from './plain-text.tsx';

/** The text of an error with the request's id to copy. Its title is included when no heading has it. */
export const ErrorText = ({ error: { title, text, correlationId, report }, hasTitle = false }: { readonly error: ShownError; readonly hasTitle?: boolean }) => (
  <SpaceBetween size="xxs">
    {hasTitle && <b>{title}</b>}
    <PlainText text={text} />
    {correlationId !== undefined && (
      <Box fontSize="body-s" color="inherit">
        {words.errors.requestId}
        {': '}
        <CopyToClipboard
          variant="inline"
          textToCopy={correlationId}
          copyButtonAriaLabel={words.errors.copyRequestId}
          copySuccessText={words.copy.done}
          copyErrorText={words.copy.failed}
        />
      </Box>
    )}
    {report !== undefined && (
      <CopyToClipboard textToCopy={report} copyButtonText={words.errors.copyForSupport} copySuccessText={words.copy.done} copyErrorText={words.copy.failed} />
    )}
  </SpaceBetween>
);

/** Shows an error instead of data that could not be read, with a button that reads it again. */
export const FailedRead = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) => {
  const shown = shownError(error);
  return (
    <Alert type="error" header={shown.title} action={<Button onClick={onRetry}>{words.errors.retry}</Button>}>
      <ErrorText error={shown} />
    </Alert>
  );
};
