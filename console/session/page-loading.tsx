import { Box, Spinner } from '@cloudscape-design/components';
import { words } from '../words/words.ts';

export const PageLoading = () => (
  <main>
    <Box textAlign="center" padding="xxl">
      <Spinner size="large" />
      <Box color="text-body-secondary">{words.loading.text}</Box>
    </Box>
  </main>
);
