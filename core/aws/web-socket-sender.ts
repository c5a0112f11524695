/**
 * Sends to open WebSockets, also from other Lambdas. Adapter: `api-gateway-web-socket-sender.ts`; a fake is in
 * `test/fakes/`.
 */
export type WebSocketSender = {
  /**
   * Sends a text message of at most 128 KB.
   * @returns 'sent' when API Gateway accepted the message, which does not mean that the client has read it; 'gone' when
   * the socket is closed or never existed; 'silent' when API Gateway did not respond: the message may have been sent.
   * @throws Error when API Gateway refused the message even after retries: it throttles or fails, or the client reads
   * too slowly. The same message may be sent again later.
   */
  post(connectionId: string, text: string): Promise<'sent' | 'gone' | 'silent'>;
  /** Closes the socket. A closed socket is ignored. */
  close(connectionId: string): Promise<void>;
};
