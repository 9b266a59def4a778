'use strict';

const { gross } = require('@lantern/price-rules');
const _ = require('lodash');
const mongoose = require('mongoose');

const Book = mongoose.model(
  'Book',
  new mongoose.Schema({ title: String, author: String, isbn: String, cents: Number, shelf: String }),
);

async function listBooks() {
  const books = await Book.find({}).lean();
  return _.sortBy(books.map(priced), ['author', 'title']);
}

async function findBook(id) {
  const book = await Book.findById(id).lean();
  return book === null ? null : priced(book);
}

function priced(book) {
  return { ...book, price: (gross(book.cents) / 100).toFixed(2) };
}

module.exports = { findBook, listBooks };
