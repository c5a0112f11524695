import { Alert, Box, Button } from '@cloudscape-design/components';
import { words } from '../../words/words.ts';

/** Shown instead of the console when its settings or its files can't be read. */
export const StartFailed = ({ error }: { readonly error: Error }) => (
  <main>
    <Box margin="xxl">
      <Alert type="error" header={words.startFailed.title} action={<Button onClick={() => window.location.reload()}>{words.startFailed.action}</Button>}>
        {error.message}
      </Alert>
    </Box>
  </main>
);
